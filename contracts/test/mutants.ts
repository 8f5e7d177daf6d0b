/**
 * Every guard of the contracts, taken out or bent one at a time. `npm run contracts:mutants` proves that the forge
 * suite notices each. Guards hide each other (an order id is masked by the authorisation, for example), so a guard
 * without a row here is a guard nobody would miss.
 */
export type Mutant = {
  readonly name: string
  /** Relative to contracts/src. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
}

const router = 'SwapRouter.sol'
const admin = 'RouterAdmin.sol'
const executor = 'AmmExecutor.sol'
const tokens = 'libraries/Tokens.sol'
const signatures = 'libraries/Signatures.sol'
const hashes = 'libraries/Hashes.sol'
const custody = 'libraries/Custody.sol'
const feed = 'feeds/PriceFeed.sol'

/** A mutant in which a condition never holds. */
const without = (name: string, file: string, find: string): Mutant => ({
  name,
  file,
  find: `if (${find}) revert`,
  replace: 'if (false) revert',
})

/** A mutant in which a statement or an operand is missing or different. */
const bent = (name: string, file: string, find: string, replace = ''): Mutant => ({
  name,
  file,
  find,
  replace,
})

const entry: readonly Mutant[] = [
  without('pause', router, 'paused'),
  without('canonical orders', router, 'keccak256(abi.encode(legs)) != keccak256(orders)'),
  bent('at least one order', router, 'count == 0 || ', ''),
  bent('at most eight orders', router, ' || count > MAX_ORDERS', ''),
  bent('more orders than eight', router, 'MAX_ORDERS = 8', 'MAX_ORDERS = 9'),
  without('one fallback entry per leg', router, 'entries != 0 && entries != count'),
  bent('recipient is not zero', router, 'recipient == address(0) || ', ''),
  bent('recipient is not the router', router, 'recipient == address(this) || ', ''),
  bent('recipient is not the executor', router, ' || recipient == address(executor)', ''),
  without('fee cap', router, 'params.widgetFee.feeRate > MAX_FEE_BPS'),
  bent('fee cap value', router, 'MAX_FEE_BPS = 100', 'MAX_FEE_BPS = 101'),
  bent(
    'fee rounds down',
    router,
    '* params.widgetFee.feeRate) / BPS',
    '* params.widgetFee.feeRate + BPS - 1) / BPS',
  ),
  without('minimum above zero', router, 'params.amountOutMinimum == 0'),
  without('no permit of the native coin', router, 'params.toWrap'),
  bent(
    'the permit is used',
    router,
    'route.tokenIn.tryPermit(msg.sender, params.amountIn, permit);',
  ),
  bent(
    'the permit of the amount',
    router,
    'params.amountIn, permit);',
    'params.amountIn + 1, permit);',
  ),
  bent(
    'lock with a permit',
    router,
    'Permit calldata permit)\n        external\n        payable\n        lock\n',
    'Permit calldata permit)\n        external\n        payable\n',
  ),
  bent(
    'lock with Permit2',
    router,
    'Permit2Transfer calldata permit)\n        external\n        payable\n        lock\n',
    'Permit2Transfer calldata permit)\n        external\n        payable\n',
  ),
  bent(
    'Permit2 takes the input of the caller',
    router,
    'pullPermitted(msg.sender, params.amountIn, permit, authorization)',
    'pullExact(msg.sender, params.amountIn)',
  ),
  bent(
    'the probe answers for its own key',
    'ScenarioProbe.sol',
    'isOwn ? IERC1271.isValidSignature.selector : bytes4(0)',
    'isOwn || true ? IERC1271.isValidSignature.selector : bytes4(0)',
  ),
  bent('Permit2 takes the amount', router, 'amountIn, permit, auth', 'amountIn - 1, permit, auth'),
  bent(
    'Permit2 is there',
    tokens,
    'if (address(PERMIT2).code.length == 0) revert',
    'if (false) revert',
  ),
  bent(
    'Permit2 is bound to the swap',
    tokens,
    '            authorization,\n            WITNESS',
    '            bytes32(0),\n            WITNESS',
  ),
  bent(
    'Permit2 delivers to the router',
    tokens,
    'SignatureTransferDetails(address(this), amount)',
    'SignatureTransferDetails(owner, amount)',
  ),
  bent(
    'Permit2 delivers exactly',
    tokens,
    'permit.signature\n        );\n        _requireGain(token, before, balanceOf(token, address(this)), amount);',
    'permit.signature\n        );',
  ),
  bent(
    'the permit of the caller',
    tokens,
    '(owner, address(this), amount,',
    '(address(this), owner, amount,',
  ),
]

const orders: readonly Mutant[] = [
  without('caller', router, 'order.caller != msg.sender'),
  without('seller', router, 'order.seller != msg.sender'),
  without('deadline', router, 'block.timestamp > order.deadlineTimestamp'),
  bent(
    'deadline is inclusive',
    router,
    'block.timestamp > order.dead',
    'block.timestamp >= order.dead',
  ),
  without('one quote', router, 'order.quoteId != quoteId'),
  bent('bought amount above zero', router, 'order.buyerTokenAmount == 0 || ', ''),
  bent('sold amount above zero', router, ' || order.sellerTokenAmount == 0', ''),
  without('input is not bought', router, 'order.buyerToken == route.tokenIn'),
  without('output is not sold', router, 'order.sellerToken == route.tokenOut'),
  without('no token for itself', router, 'order.buyerToken == order.sellerToken'),
  without('sold token is held', router, '!route.ledger.tracks(order.sellerToken)'),
  without('legs sell exactly the input', router, 'inputSold != params.amountIn - route.fee'),
  bent(
    'every order is checked',
    router,
    '_checkOrder(i, order, route.quoteId);',
    'if (i == 0) _checkOrder(i, order, route.quoteId);',
  ),
  bent('AMM leg has no signer', router, 'signed.order.signer != address(0) || ', ''),
  bent('AMM leg has no signature', router, 'signed.signature.length != 0 || ', ''),
  bent('AMM leg has an entry', router, ' || entry.length == 0', ''),
]

const native: readonly Mutant[] = [
  without('value', router, 'msg.value != expected'),
  bent('value equals the amount', router, 'msg.value != expected', 'msg.value < expected'),
  without(
    'wrapping is for the wrapped coin',
    router,
    'params.toWrap && route.tokenIn != address(weth)',
  ),
  without(
    'unwrapping is for the wrapped coin',
    router,
    'params.toUnwrap && route.tokenOut != address(weth)',
  ),
  without('coin comes from the wrapper only', router, 'msg.sender != address(weth)'),
]

const authorization: readonly Mutant[] = [
  without('fee signer', router, '!isFeeSigner(signer)'),
  without(
    'authorisation signature',
    router,
    '!Signatures.isSignedByKey(signer, authorization, params.widgetFeeSignature)',
  ),
  without('authorisation consumed once', router, 'usedAuthorization[authorization]'),
  bent('authorisation is marked', router, 'usedAuthorization[authorization] = true;', ''),
  bent(
    'caller is authorised',
    hashes,
    'fallbackSwapDataArray), caller',
    'fallbackSwapDataArray), address(0)',
  ),
  bent('orders are authorised', hashes, '_orders(legs)', 'bytes32(0)'),
  bent('signatures are authorised', hashes, '_signatures(legs)', 'bytes32(0)'),
  bent(
    'fallbacks are authorised',
    hashes,
    '_fallbacks(params.fallbackSwapDataArray)',
    'bytes32(0)',
  ),
  bent('recipient is authorised', hashes, 'params.recipient,', 'address(0),'),
  bent('amount is authorised', hashes, 'params.amountIn,', 'uint256(0),'),
  bent('minimum is authorised', hashes, 'params.amountOutMinimum,', 'uint256(0),'),
  bent('wrapping is authorised', hashes, 'params.toWrap,', 'false,'),
  bent('unwrapping is authorised', hashes, 'params.toUnwrap,', 'false,'),
  bent(
    'fee is authorised',
    hashes,
    'params.widgetFee //',
    'params.widgetFee.signer, uint256(0), uint256(0) //',
  ),
  bent(
    'domain follows the chain',
    router,
    'block.chainid == _domainChainId ?',
    'block.chainid != 0 ?',
  ),
]

const custodyMutants: readonly Mutant[] = [
  bent(
    'exact input received',
    router,
    'tokenIn.pullExact(msg.sender, params.amountIn)',
    'IWrappedNative(tokenIn).transferFrom(msg.sender, address(this), params.amountIn)',
  ),
  bent('fee of zero moves nothing', router, 'if (route.fee == 0) return;', ''),
  bent(
    'minimum in custody',
    router,
    'if (held < params.amountOutMinimum) revert',
    'if (false) revert',
  ),
  bent(
    'minimum at the recipient',
    router,
    'if (delivered < params.amountOutMinimum) revert',
    'if (false) revert',
  ),
  bent(
    'reported amount is what arrived',
    router,
    'return token.balanceOf(to) - before;',
    'before; return amount;',
  ),
  bent('refund', router, '_refund(params.toWrap, route);', ''),
  bent(
    'refund of every token',
    router,
    'for (uint256 i; i < route.ledger.count; ++i)',
    'for (uint256 i; i < 1; ++i)',
  ),
  bent(
    'refund of a wrapped input as coin',
    router,
    'if (toWrap && token == route.tokenIn)',
    'if (false)',
  ),
  bent(
    'only a middle token may be short',
    router,
    'if (order.sellerToken == route.tokenIn) revert InputShort(leg);',
    '',
  ),
  bent('something to sell', router, 'if (held == 0) revert NothingToSell(leg);', ''),
  bent(
    'never sells more than the order says',
    router,
    'if (held >= order.sellerTokenAmount) return order.sellerTokenAmount;',
    'if (held == order.sellerTokenAmount) return held;',
  ),
  bent('custody excludes what lay here before', custody, ' - ledger.balancesBefore[index]', ''),
]

const makerLeg: readonly Mutant[] = [
  without('fillOrder is for the router', router, 'msg.sender != address(this)'),
  bent('order id consumed', router, '_consumeOrder(order.buyer, order.id);', ''),
  without('order id checked', router, 'word & bit != 0'),
  bent('order id marked', router, 'nonceBitmap[buyer][id >> 8] = word | bit;', ''),
  bent('order id bit', router, 'id & 0xff', 'id & 0x7f'),
  bent('neighbouring ids survive', router, '= word | bit;', '= bit;'),
  without('maker signature', router, '!_isSignedByMaker(order, signature)'),
  bent('maker may sign itself', router, 'order.signer != order.buyer && ', ''),
  bent(
    'delegate is named by this maker',
    router,
    '&& !orderSigner[order.buyer][order.signer]',
    '&& false',
  ),
  without('pro rata above zero', router, 'bought == 0'),
  bent(
    'pro rata rounds down',
    router,
    '(order.buyerTokenAmount * sold) / order',
    '(order.buyerTokenAmount * sold + order.sellerTokenAmount - 1) / order',
  ),
  bent(
    'pro rata at all',
    router,
    'return (order.buyerTokenAmount * sold) / order.sellerTokenAmount;',
    'return order.buyerTokenAmount;',
  ),
  bent('maker pays', router, 'order.buyerToken.pullExact(order.buyer, bought);', ''),
  bent('maker is paid', router, 'order.sellerToken.sendExact(order.buyer, sold);', ''),
  bent(
    'maker is paid exactly',
    router,
    'order.sellerToken.sendExact(order.buyer, sold)',
    'order.sellerToken.send(order.buyer, sold)',
  ),
  bent(
    'gas for the maker leg',
    router,
    'if (entry.length != 0 && gasleft() < MAKER_LEG_GAS_NEEDED) revert GasTooLow(leg);',
    '',
  ),
  bent(
    'gas for the maker leg only where it matters',
    router,
    'entry.length != 0 && gasleft()',
    'gasleft()',
  ),
  bent(
    'gas for encoding the call',
    router,
    '(MAKER_LEG_GAS * 64) / 63 + 20_000',
    '(MAKER_LEG_GAS * 64) / 63',
  ),
  bent('gas ceiling', router, '{gas: MAKER_LEG_GAS}', ''),
  bent(
    'the event says what was delivered',
    router,
    'params.amountIn,\n            amountOut,',
    'params.amountIn,\n            params.amountOutMinimum,',
  ),
  bent(
    'no fallback, no fill',
    router,
    'if (entry.length == 0) revert OrderNotFilled(leg, _failureSelector());',
    'if (entry.length == 0) return;',
  ),
  bent(
    'a filled leg needs no fallback',
    router,
    '            return;\n        } catch',
    '        } catch',
  ),
  bent(
    'fallback is reported',
    router,
    'emit FallbackUsed(signed.order.buyer, signed.order.id, signed.order.quoteId);',
    '',
  ),
  without('fallback data has one form', router, 'entry.length != 64'),
  bent(
    'cancel keeps older marks',
    router,
    'nonceBitmap[msg.sender][wordPos] |= mask;',
    'nonceBitmap[msg.sender][wordPos] = mask;',
  ),
  bent(
    'cancel is for the own ids',
    router,
    'nonceBitmap[msg.sender][wordPos] |= mask;',
    'nonceBitmap[address(0)][wordPos] |= mask;',
  ),
  bent('dismissing a signer', router, '[signer] = allowed;', '[signer] = true;'),
]

const locks: readonly Mutant[] = [
  bent('lock on exactInput', router, 'external payable lock returns', 'external payable returns'),
  bent('lock on cancel', router, 'uint256 mask) external lock', 'uint256 mask) external'),
  bent('lock on setOrderSigner', router, 'bool allowed) external lock', 'bool allowed) external'),
  bent(
    'lock on offerOwnership',
    admin,
    'offerOwnership(address next) external onlyOwner lock',
    'offerOwnership(address next) external onlyOwner',
  ),
  bent(
    'lock on acceptOwnership',
    admin,
    'acceptOwnership() external lock',
    'acceptOwnership() external',
  ),
  bent(
    'lock on rotateFeeSigner',
    admin,
    'overlapSeconds) external onlyOwner lock',
    'overlapSeconds) external onlyOwner',
  ),
  bent('lock on pause', admin, ' pause() external onlyOwner lock', ' pause() external onlyOwner'),
  bent(
    'lock on unpause',
    admin,
    ' unpause() external onlyOwner lock',
    ' unpause() external onlyOwner',
  ),
  bent('lock on rescue', admin, 'amount) external onlyOwner lock', 'amount) external onlyOwner'),
  without('the lock itself', admin, '_entered'),
  bent('the lock opens again', admin, '_entered = false;', ''),
]

const owner: readonly Mutant[] = [
  without('owner', admin, 'msg.sender != owner'),
  bent(
    'owner offers',
    admin,
    'offerOwnership(address next) external onlyOwner lock',
    'offerOwnership(address next) external lock',
  ),
  bent(
    'owner rotates',
    admin,
    'overlapSeconds) external onlyOwner lock',
    'overlapSeconds) external lock',
  ),
  bent('owner pauses', admin, ' pause() external onlyOwner lock', ' pause() external lock'),
  bent('owner unpauses', admin, ' unpause() external onlyOwner lock', ' unpause() external lock'),
  bent('owner rescues', admin, 'amount) external onlyOwner lock', 'amount) external lock'),
  without('pending owner', admin, 'msg.sender != pendingOwner'),
  bent('offer closes', admin, 'pendingOwner = address(0);', ''),
  without('keys are not zero', admin, 'owner_ == address(0) || feeSigner_ == address(0)'),
  without('new fee signer is not zero', admin, 'next == address(0)'),
  without('overlap is bounded', admin, 'overlapSeconds > MAX_SIGNER_OVERLAP'),
  bent('overlap ends', admin, ' && block.timestamp < previousFeeSignerUntil', ''),
  bent(
    'overlap ends on time',
    admin,
    'block.timestamp < previousFeeSignerUntil',
    'block.timestamp <= previousFeeSignerUntil',
  ),
  bent('overlap exists', admin, 'return signer == previousFeeSigner &&', 'return false &&'),
]

const leaves: readonly Mutant[] = [
  bent('low s', signatures, 'if (uint256(s) > MAX_S) return false;', ''),
  bent('65 bytes', signatures, 'if (signature.length != 65) return false;', ''),
  bent('recovered is not zero', signatures, 'recovered != address(0) && ', ''),
  bent('recovered is the signer', signatures, ' && recovered == signer', ''),
  bent(
    'key before contract',
    signatures,
    'if (isSignedByKey(signer, digest, signature)) return true;',
    'if (signer.code.length == 0) return isSignedByKey(signer, digest, signature);',
  ),
  bent(
    'magic value of ERC-1271',
    signatures,
    ' == IERC1271.isValidSignature.selector',
    ' != bytes4(0)',
  ),
  bent('failed token call', tokens, 'if (!ok) revert TransferFailed(token);', ''),
  without('false from a token', tokens, '!done'),
  bent('token without code', tokens, 'token.code.length > 0', 'true'),
  bent('token without return value', tokens, 'answer.length == 0 ? token.code.length > 0 :', ''),
  without('exact receipt', tokens, 'received != expected'),
  bent('failed payment of coin', tokens, 'if (!ok) revert NativeTransferFailed(to);', ''),
]

const pools: readonly Mutant[] = [
  without('executor is for the router', executor, 'msg.sender != router'),
  without('callback is for the pool', executor, 'msg.sender != _expectedPool'),
  bent('callback without a bought amount', executor, 'amount0Delta > 0', 'amount0Delta >= 0'),
  bent('callback closes', executor, '_expectedPool = address(0);', ''),
  bent(
    'unknown kind',
    executor,
    'else revert UnknownKind(kind);',
    'else _swapV3(fee, tokenIn, tokenOut, amountIn);',
  ),
  without('v2 fee', executor, 'fee != UNISWAP_V2_FEE'),
  bent(
    'v2 factory present',
    executor,
    'if (v2Factory == address(0)) revert UnknownKind(UNISWAP_V2);',
    '',
  ),
  bent(
    'v3 factory present',
    executor,
    'if (v3Factory == address(0)) revert UnknownKind(UNISWAP_V3);',
    '',
  ),
  bent(
    'v2 pair found',
    executor,
    'if (pair == address(0)) revert PoolNotFound(tokenIn, tokenOut, fee);',
    '',
  ),
  bent(
    'v3 pool found',
    executor,
    'if (pool == address(0)) revert PoolNotFound(tokenIn, tokenOut, fee);',
    '',
  ),
  bent(
    'v3 pool of the fee',
    executor,
    'getPool(tokenIn, tokenOut, fee)',
    'getPool(tokenIn, tokenOut, 500)',
  ),
  bent(
    'v3 pool takes everything',
    executor,
    'if (uint256(zeroForOne ? amount0 : amount1) != amountIn) revert PoolExhausted(pool);',
    '',
  ),
  bent('v2 pays the pair formula', executor, 'amountIn * 997', 'amountIn * 996'),
  bent(
    'v2 output goes to the router',
    executor,
    'swap(amount0Out, amount1Out, router, "")',
    'swap(amount0Out, amount1Out, address(this), "")',
  ),
  bent(
    'v3 output goes to the router',
    executor,
    'router, zeroForOne, int256',
    'address(this), zeroForOne, int256',
  ),
]

const feeds: readonly Mutant[] = [
  bent(
    'only the answerer answers as of a time',
    feed,
    'updatedAt) external {\n        if (msg.sender != answerer) revert OnlyAnswerer();',
    'updatedAt) external {',
  ),
  bent(
    'only the answerer answers as of now',
    feed,
    'answerNow(int256 answer) external {\n        if (msg.sender != answerer) revert OnlyAnswerer();',
    'answerNow(int256 answer) external {',
  ),
  bent('no round zero', feed, 'id == 0 || ', ''),
  bent('no round to come', feed, ' || id > _latest', ''),
  bent('an answer is a new round', feed, '++_latest', '_latest'),
]

export const mutants: readonly Mutant[] = [
  ...entry,
  ...orders,
  ...native,
  ...authorization,
  ...custodyMutants,
  ...makerLeg,
  ...locks,
  ...owner,
  ...leaves,
  ...pools,
  ...feeds,
]
