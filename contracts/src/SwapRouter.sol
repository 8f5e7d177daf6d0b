// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AmmExecutor} from "./AmmExecutor.sol";
import {RouterAdmin} from "./RouterAdmin.sol";
import {
    ExactInputParams,
    ISwapRouter,
    Order,
    Permit,
    Permit2Transfer,
    SignedOrder,
    WidgetFee
} from "./interfaces/ISwapRouter.sol";
import {IWrappedNative} from "./interfaces/IWrappedNative.sol";
import {Custody, Ledger} from "./libraries/Custody.sol";
import {Hashes} from "./libraries/Hashes.sol";
import {Signatures} from "./libraries/Signatures.sol";
import {Tokens} from "./libraries/Tokens.sol";

/// @notice A quote that passed the checks of its shape.
struct Route {
    SignedOrder[] legs;
    Ledger ledger;
    address tokenIn;
    address tokenOut;
    bytes16 quoteId;
    uint256 fee;
}

/// @title Settles firm quotes of the Ballast quoting service.
/// @notice Users approve this contract, so it makes no call whose target or data a caller chooses: it moves tokens, also
///         through Permit2, wraps and unwraps the native coin, and talks to its own executor. It cannot be upgraded.
/// @dev Two consumed marks protect every quote, and each alone would be too little. The authorisation digest stops a
///      quote from settling twice, also when it would run through fallbacks, which consume no order id. The order id
///      stops a maker's order from filling twice under two authorisations.
contract SwapRouter is ISwapRouter, RouterAdmin {
    using Custody for Ledger;
    using Tokens for address;

    uint256 private constant BPS = 10_000;

    /// @notice The most an integrator can take: 1 % of the input.
    uint256 public constant MAX_FEE_BPS = 100;

    /// @notice More legs than this never pay for their gas.
    uint256 public constant MAX_ORDERS = 8;

    /// @notice What a maker leg may use: two transfers of an elaborate token and a contract signature fit, and a
    ///         hostile maker token cannot burn the caller's whole gas limit.
    uint256 public constant MAKER_LEG_GAS = 500_000;

    /// @dev A call passes on at most 63/64 of what is left, so this much must be left for the leg to get its ceiling;
    ///      the rest is for encoding the call.
    uint256 private constant MAKER_LEG_GAS_NEEDED = (MAKER_LEG_GAS * 64) / 63 + 20_000;

    /// @notice The wrapped form of the native coin.
    IWrappedNative public immutable weth;

    /// @notice Runs the AMM legs. Never approve it.
    AmmExecutor public immutable executor;

    bytes32 private immutable _domainSeparator;
    uint256 private immutable _domainChainId;

    /// @inheritdoc ISwapRouter
    mapping(bytes32 authorization => bool used) public usedAuthorization;

    /// @inheritdoc ISwapRouter
    /// @dev Keyed by the owner of the funds: a new signer revives no old order, and nobody else can burn an id.
    mapping(address buyer => mapping(uint256 wordPos => uint256 bits)) public nonceBitmap;

    /// @inheritdoc ISwapRouter
    mapping(address buyer => mapping(address signer => bool allowed)) public orderSigner;

    /// @param v2Factory Uniswap v2's factory, or zero.
    /// @param v3Factory Uniswap v3's factory, or zero.
    constructor(IWrappedNative weth_, address v2Factory, address v3Factory, address owner_, address feeSigner_)
        RouterAdmin(owner_, feeSigner_)
    {
        weth = weth_;
        executor = new AmmExecutor(v2Factory, v3Factory);
        _domainSeparator = Hashes.domain(address(this));
        _domainChainId = block.chainid;
    }

    /// @dev Only unwrapping pays native coin in; anything else would be a gift to nobody.
    receive() external payable {
        if (msg.sender != address(weth)) revert OnlyWrappedNative();
    }

    /// @inheritdoc ISwapRouter
    function exactInput(ExactInputParams calldata params) external payable lock returns (uint256 amountOut) {
        (Route memory route, bytes32 authorization) = _enter(params);
        _takeInput(params, route.tokenIn);
        return _settle(params, route, authorization);
    }

    /// @inheritdoc ISwapRouter
    /// @dev The permit is used behind the lock and after every check of the terms: a token that does more in it than it
    ///      should finds no way back in, and nothing of the caller's but this token has been let go of.
    function exactInputWithPermit(ExactInputParams calldata params, Permit calldata permit)
        external
        payable
        lock
        returns (uint256 amountOut)
    {
        (Route memory route, bytes32 authorization) = _enterPermitted(params);
        route.tokenIn.tryPermit(msg.sender, params.amountIn, permit);
        _takeInput(params, route.tokenIn);
        return _settle(params, route, authorization);
    }

    /// @inheritdoc ISwapRouter
    /// @dev The one call to Permit2 stands where the input is always taken: behind the lock and after every check.
    function exactInputWithPermit2(ExactInputParams calldata params, Permit2Transfer calldata permit)
        external
        payable
        lock
        returns (uint256 amountOut)
    {
        (Route memory route, bytes32 authorization) = _enterPermitted(params);
        route.tokenIn.pullPermitted(msg.sender, params.amountIn, permit, authorization);
        return _settle(params, route, authorization);
    }

    function _enterPermitted(ExactInputParams calldata params)
        private
        returns (Route memory route, bytes32 authorization)
    {
        if (params.toWrap) revert PermitOfNativeCoin();
        return _enter(params);
    }

    /// @dev All that is checked before anything moves.
    function _enter(ExactInputParams calldata params) private returns (Route memory route, bytes32 authorization) {
        if (paused) revert EntryPaused();
        route = _readRoute(params);
        _checkNative(params, route);
        authorization = _consumeAuthorization(params, route.legs);
    }

    /// @dev The input is here by now.
    function _settle(ExactInputParams calldata params, Route memory route, bytes32 authorization)
        private
        returns (uint256 amountOut)
    {
        _payFee(params.widgetFee.feeRecipient, route);
        for (uint256 i; i < route.legs.length; ++i) {
            _runLeg(i, route, _fallbackOf(params, i));
        }
        amountOut = _deliver(params, route);
        _refund(params.toWrap, route);

        emit Swapped(
            authorization,
            msg.sender,
            params.recipient,
            route.tokenIn,
            route.tokenOut,
            params.amountIn,
            amountOut,
            route.quoteId
        );
    }

    /// @inheritdoc ISwapRouter
    /// @dev No lock of its own: it runs inside `exactInput`'s. The id is consumed first, so nothing below can reuse it.
    function fillOrder(Order calldata order, bytes calldata signature, uint256 sold) external {
        if (msg.sender != address(this)) revert OnlySelf();
        _consumeOrder(order.buyer, order.id);
        if (!_isSignedByMaker(order, signature)) revert BadOrderSignature(order.signer);

        uint256 bought = _proRata(order, sold);
        if (bought == 0) revert NothingBought();
        order.buyerToken.pullExact(order.buyer, bought);
        order.sellerToken.sendExact(order.buyer, sold);
        emit OrderFilled(order.buyer, order.id, order.quoteId, order.sellerToken, order.buyerToken, sold, bought);
    }

    /// @inheritdoc ISwapRouter
    function cancel(uint256 wordPos, uint256 mask) external lock {
        nonceBitmap[msg.sender][wordPos] |= mask;
        emit NonceCancelled(msg.sender, wordPos, mask);
    }

    /// @inheritdoc ISwapRouter
    function setOrderSigner(address signer, bool allowed) external lock {
        orderSigner[msg.sender][signer] = allowed;
        emit SignerSet(msg.sender, signer, allowed);
    }

    /// @inheritdoc ISwapRouter
    function hashOrder(Order calldata order) external view returns (bytes32) {
        return _hashOrder(order);
    }

    /// @inheritdoc ISwapRouter
    function hashAuthorization(ExactInputParams calldata params, address caller) external view returns (bytes32) {
        return _hashAuthorization(params, _decode(params.orders), caller);
    }

    /// @inheritdoc ISwapRouter
    /// @dev Computed again after a fork has changed the chain id, so that a signature is never valid on both sides.
    function domainSeparator() public view returns (bytes32) {
        return block.chainid == _domainChainId ? _domainSeparator : Hashes.domain(address(this));
    }

    /// @dev Only one encoding of a route is accepted: no unread bytes can ride along in what was signed.
    function _decode(bytes calldata orders) private pure returns (SignedOrder[] memory legs) {
        legs = abi.decode(orders, (SignedOrder[]));
        if (keccak256(abi.encode(legs)) != keccak256(orders)) revert NotCanonical();
    }

    function _readRoute(ExactInputParams calldata params) private view returns (Route memory route) {
        _checkTerms(params);
        SignedOrder[] memory legs = _decode(params.orders);
        uint256 count = legs.length;
        if (count == 0 || count > MAX_ORDERS) revert BadOrderCount(count);
        uint256 entries = params.fallbackSwapDataArray.length;
        if (entries != 0 && entries != count) revert BadFallbackCount(entries);

        route.legs = legs;
        route.tokenIn = legs[0].order.sellerToken;
        route.tokenOut = legs[count - 1].order.buyerToken;
        route.quoteId = legs[0].order.quoteId;
        route.fee = (params.amountIn * params.widgetFee.feeRate) / BPS; // rounds down, for the caller
        route.ledger = Custody.open(count);
        route.ledger.track(route.tokenIn);

        uint256 inputSold;
        for (uint256 i; i < count; ++i) {
            Order memory order = legs[i].order;
            _checkOrder(i, order, route.quoteId);
            _checkTokens(i, order, route);
            if (order.buyer == address(executor)) _checkAmmLeg(i, legs[i], _fallbackOf(params, i));
            if (order.sellerToken == route.tokenIn) inputSold += order.sellerTokenAmount;
            route.ledger.track(order.buyerToken);
        }
        // Less would leave input unused, more would need input that is not there.
        if (inputSold != params.amountIn - route.fee) revert InputMismatch(inputSold, params.amountIn - route.fee);
    }

    function _checkTerms(ExactInputParams calldata params) private view {
        address recipient = params.recipient;
        if (recipient == address(0) || recipient == address(this) || recipient == address(executor)) {
            revert BadRecipient(recipient);
        }
        if (params.widgetFee.feeRate > MAX_FEE_BPS) revert FeeTooHigh(params.widgetFee.feeRate);
        if (params.amountOutMinimum == 0) revert ZeroMinimum();
    }

    function _checkOrder(uint256 leg, Order memory order, bytes16 quoteId) private view {
        if (order.caller != msg.sender) revert WrongCaller(leg);
        if (order.seller != msg.sender) revert WrongSeller(leg);
        if (block.timestamp > order.deadlineTimestamp) revert OrderExpired(leg, order.deadlineTimestamp);
        if (order.quoteId != quoteId) revert MixedQuotes(leg);
        if (order.buyerTokenAmount == 0 || order.sellerTokenAmount == 0) revert ZeroAmount(leg);
    }

    /// @dev A route flows one way: from the input, through tokens bought on the way, to the output.
    ///      The first leg sells the input, so that the output is never sold also keeps the two apart.
    function _checkTokens(uint256 leg, Order memory order, Route memory route) private pure {
        if (order.buyerToken == route.tokenIn) revert InputBought(leg);
        if (order.sellerToken == route.tokenOut) revert OutputSold(leg);
        if (order.buyerToken == order.sellerToken) revert SameToken(leg);
        if (!route.ledger.tracks(order.sellerToken)) revert TokenNotHeld(leg, order.sellerToken);
    }

    /// @dev The executor signs nothing, so an AMM leg that looks signed is a mistake of whoever built it.
    function _checkAmmLeg(uint256 leg, SignedOrder memory signed, bytes calldata entry) private pure {
        if (signed.order.signer != address(0) || signed.signature.length != 0 || entry.length == 0) {
            revert BadAmmLeg(leg);
        }
    }

    function _checkNative(ExactInputParams calldata params, Route memory route) private view {
        uint256 expected = params.toWrap ? params.amountIn : 0;
        if (msg.value != expected) revert WrongValue(msg.value, expected);
        if (params.toWrap && route.tokenIn != address(weth)) revert NotWrappedNative(route.tokenIn);
        if (params.toUnwrap && route.tokenOut != address(weth)) revert NotWrappedNative(route.tokenOut);
    }

    function _consumeAuthorization(ExactInputParams calldata params, SignedOrder[] memory legs)
        private
        returns (bytes32 authorization)
    {
        address signer = params.widgetFee.signer;
        if (!isFeeSigner(signer)) revert NotFeeSigner(signer);
        authorization = _hashAuthorization(params, legs, msg.sender);
        if (!Signatures.isSignedByKey(signer, authorization, params.widgetFeeSignature)) revert BadAuthorization();
        if (usedAuthorization[authorization]) revert AuthorizationUsed(authorization);
        usedAuthorization[authorization] = true;
    }

    function _takeInput(ExactInputParams calldata params, address tokenIn) private {
        if (params.toWrap) weth.deposit{value: params.amountIn}();
        else tokenIn.pullExact(msg.sender, params.amountIn);
    }

    function _payFee(address feeRecipient, Route memory route) private {
        if (route.fee == 0) return; // some tokens refuse to move nothing
        route.tokenIn.send(feeRecipient, route.fee);
        emit WidgetFeePaid(feeRecipient, route.tokenIn, route.fee, route.quoteId);
    }

    function _runLeg(uint256 leg, Route memory route, bytes calldata entry) private {
        Order memory order = route.legs[leg].order;
        uint256 sold = _amountToSell(leg, order, route);
        if (order.buyer == address(executor)) _swapOnAmm(order, sold, entry);
        else _fillOrFallBack(leg, route.legs[leg], sold, entry);
    }

    /// @dev A leg sells less than it says only when an AMM leg before it yielded less of an intermediate token.
    function _amountToSell(uint256 leg, Order memory order, Route memory route) private view returns (uint256) {
        uint256 held = route.ledger.held(order.sellerToken);
        if (held >= order.sellerTokenAmount) return order.sellerTokenAmount;
        if (order.sellerToken == route.tokenIn) revert InputShort(leg);
        if (held == 0) revert NothingToSell(leg);
        return held;
    }

    /// @dev Whoever sends the transaction chooses its gas, and must not be able to starve a good maker leg into its
    ///      fallback; hence the check before the try. Without a fallback a starved leg only reverts the call.
    ///      Nor can the caller spoil a signature for that purpose: the authorisation covers them.
    function _fillOrFallBack(uint256 leg, SignedOrder memory signed, uint256 sold, bytes calldata entry) private {
        if (entry.length != 0 && gasleft() < MAKER_LEG_GAS_NEEDED) revert GasTooLow(leg);
        try this.fillOrder{gas: MAKER_LEG_GAS}(signed.order, signed.signature, sold) {
            return;
        } catch {
            // Nothing of the answer is copied: a maker's token could make it large at the caller's expense.
            if (entry.length == 0) revert OrderNotFilled(leg, _failureSelector());
        }
        _swapOnAmm(signed.order, sold, entry);
        emit FallbackUsed(signed.order.buyer, signed.order.id, signed.order.quoteId);
    }

    /// @dev The first four bytes the last call answered with.
    function _failureSelector() private pure returns (bytes4 selector) {
        assembly ("memory-safe") {
            if gt(returndatasize(), 3) {
                mstore(0, 0)
                returndatacopy(0, 0, 4)
                selector := mload(0)
            }
        }
    }

    /// @dev The entry is two typed values and nothing else. No minimum here: `amountOutMinimum` judges the whole route.
    function _swapOnAmm(Order memory order, uint256 sold, bytes calldata entry) private {
        if (entry.length != 64) revert BadFallbackData();
        (uint8 kind, uint24 fee) = abi.decode(entry, (uint8, uint24));
        order.sellerToken.send(address(executor), sold);
        executor.swap(kind, fee, order.sellerToken, order.buyerToken, sold);
    }

    /// @dev Measured twice. In custody, so that nothing else the recipient happens to receive can count; and at the
    ///      recipient, so that a token that loses something on the way is noticed.
    function _deliver(ExactInputParams calldata params, Route memory route) private returns (uint256 delivered) {
        uint256 held = route.ledger.held(route.tokenOut);
        if (held < params.amountOutMinimum) revert InsufficientOutput(held, params.amountOutMinimum);
        delivered =
            params.toUnwrap ? _payNative(params.recipient, held) : _payToken(route.tokenOut, params.recipient, held);
        if (delivered < params.amountOutMinimum) revert InsufficientOutput(delivered, params.amountOutMinimum);
    }

    function _payToken(address token, address to, uint256 amount) private returns (uint256) {
        uint256 before = token.balanceOf(to);
        token.send(to, amount);
        return token.balanceOf(to) - before;
    }

    function _payNative(address to, uint256 amount) private returns (uint256) {
        uint256 before = to.balance;
        weth.withdraw(amount);
        Tokens.sendNative(to, amount);
        return to.balance - before;
    }

    /// @dev What a leg bought beyond what the next ones sold belongs to the caller; the router ends with nothing.
    function _refund(bool toWrap, Route memory route) private {
        for (uint256 i; i < route.ledger.count; ++i) {
            address token = route.ledger.tokens[i];
            uint256 left = route.ledger.heldAt(i);
            if (left == 0) continue;
            if (toWrap && token == route.tokenIn) _payNative(msg.sender, left);
            else token.send(msg.sender, left);
            emit Refunded(msg.sender, token, left, route.quoteId);
        }
    }

    function _consumeOrder(address buyer, uint256 id) private {
        uint256 bit = 1 << (id & 0xff);
        uint256 word = nonceBitmap[buyer][id >> 8];
        if (word & bit != 0) revert OrderUsed(buyer, id);
        nonceBitmap[buyer][id >> 8] = word | bit;
    }

    function _isSignedByMaker(Order calldata order, bytes calldata signature) private view returns (bool) {
        if (order.signer != order.buyer && !orderSigner[order.buyer][order.signer]) return false;
        return Signatures.isSigned(order.signer, _hashOrder(order), signature);
    }

    /// @dev Rounds down what the maker pays: its price is never worse than the one it signed.
    function _proRata(Order calldata order, uint256 sold) private pure returns (uint256) {
        if (sold == order.sellerTokenAmount) return order.buyerTokenAmount;
        return (order.buyerTokenAmount * sold) / order.sellerTokenAmount;
    }

    function _fallbackOf(ExactInputParams calldata params, uint256 leg) private pure returns (bytes calldata) {
        if (params.fallbackSwapDataArray.length == 0) return msg.data[0:0];
        return params.fallbackSwapDataArray[leg];
    }

    function _hashOrder(Order memory order) private view returns (bytes32) {
        return Hashes.digest(domainSeparator(), Hashes.order(order));
    }

    function _hashAuthorization(ExactInputParams calldata params, SignedOrder[] memory legs, address caller)
        private
        view
        returns (bytes32)
    {
        return Hashes.digest(domainSeparator(), Hashes.authorization(params, legs, caller));
    }
}
