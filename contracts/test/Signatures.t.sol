// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ExactInputParams, ISwapRouter, Order, SignedOrder} from "../src/interfaces/ISwapRouter.sol";
import {Token} from "../src/tokens/Token.sol";
import {Fixture} from "./support/Fixture.sol";
import {ContractMaker} from "./support/Helpers.sol";

/// @dev Who may sign what, and that nothing counts twice.
contract SignaturesTest is Fixture {
    uint256 private constant DELEGATE_KEY = 0xDE1E;
    uint256 private constant CURVE_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    function test_authorization_needsACurrentFeeSigner() public {
        ExactInputParams memory params = plainQuote();
        params.widgetFee.signer = maker;
        params.widgetFeeSignature = signature(MAKER_KEY, router.hashAuthorization(params, taker));
        settleRefused(params, abi.encodeWithSelector(ISwapRouter.NotFeeSigner.selector, maker));
    }

    function test_authorization_needsTheSignersSignature() public {
        ExactInputParams memory params = plainQuote();
        params.widgetFeeSignature = signature(MAKER_KEY, router.hashAuthorization(params, taker));
        settleRefused(params, err(ISwapRouter.BadAuthorization.selector));
        params.widgetFeeSignature = "";
        settleRefused(params, err(ISwapRouter.BadAuthorization.selector));
    }

    function test_authorization_isForOneCaller() public {
        ExactInputParams memory params = plainQuote();
        params.widgetFeeSignature = signature(FEE_KEY, router.hashAuthorization(params, recipient));
        settleRefused(params, err(ISwapRouter.BadAuthorization.selector));
    }

    function test_authorization_coversTheAmountToTheWei() public {
        // At 1 %, amounts of 100 and of 99 both leave 99 to sell: only the signature tells them apart.
        ExactInputParams memory params = quote(list(signed(makerOrder(weth, 99, usdc, 1))), 100, 1);
        params.widgetFee.feeRate = 100;
        authorize(params);
        params.amountIn = 99;
        settleRefused(params, err(ISwapRouter.BadAuthorization.selector));
    }

    function test_authorization_coversUnwrapping() public {
        ExactInputParams memory params = quote(list(signed(makerOrder(usdc, 3000e6, weth, 1e18))), 3000e6, 1e18);
        params.toUnwrap = true;
        settleRefused(params, err(ISwapRouter.BadAuthorization.selector));
    }

    function test_authorization_hasOneForm() public {
        ExactInputParams memory params = plainQuote();
        params.widgetFeeSignature = highS(FEE_KEY, router.hashAuthorization(params, taker));
        settleRefused(params, err(ISwapRouter.BadAuthorization.selector));
        authorize(params);
        params.widgetFeeSignature = bytes.concat(params.widgetFeeSignature, hex"00");
        settleRefused(params, err(ISwapRouter.BadAuthorization.selector));
    }

    function test_authorization_settlesOnceByMaker() public {
        ExactInputParams memory params = plainQuote();
        bytes32 digest = router.hashAuthorization(params, taker);
        settle(params);
        settleRefused(params, abi.encodeWithSelector(ISwapRouter.AuthorizationUsed.selector, digest));
    }

    function test_authorization_settlesOnceByFallback() public {
        ExactInputParams memory params = plainQuote();
        params.amountOutMinimum = 2900e6;
        params.fallbackSwapDataArray = entries(v2());
        authorize(params);
        vm.prank(maker);
        usdc.approve(address(router), 0);
        settle(params);
        bytes32 digest = router.hashAuthorization(params, taker);
        settleRefused(params, abi.encodeWithSelector(ISwapRouter.AuthorizationUsed.selector, digest));
    }

    function test_authorization_isNotConsumedByARevert() public {
        ExactInputParams memory params = plainQuote();
        vm.prank(maker);
        usdc.approve(address(router), 0);
        settleRefused(params, notFilled("TransferFailed(address)"));
        vm.prank(maker);
        usdc.approve(address(router), type(uint256).max);
        settle(params);
    }

    function test_order_fillsOnceUnderTwoAuthorizations() public {
        SignedOrder[] memory legs = list(signed(makerOrder(weth, 1e18, usdc, 3000e6)));
        settle(quote(legs, 1e18, 3000e6));
        settleRefused(quote(legs, 1e18, 2999e6), notFilled("OrderUsed(address,uint256)"));
    }

    function test_order_fillsOnceWithinOneRoute() public {
        SignedOrder memory leg = signed(makerOrder(weth, 1e18, usdc, 3000e6));
        bytes memory reason =
            abi.encodeWithSelector(ISwapRouter.OrderNotFilled.selector, 1, ISwapRouter.OrderUsed.selector);
        settleRefused(quote(list(leg, leg), 2e18, 1), reason);
    }

    function test_order_idsAreBitsOfWords() public {
        nextId = 256 * 3 + 205;
        settle(plainQuote());
        vm.assertEq(router.nonceBitmap(maker, 3), 1 << 205, "bit 205 of word 3");
        settle(plainQuote());
        vm.assertEq(router.nonceBitmap(maker, 3), 3 << 205, "its neighbour is free");
    }

    function test_order_cancelledIdDoesNotFill() public {
        ExactInputParams memory params = plainQuote();
        vm.expectEmit(address(router));
        emit ISwapRouter.NonceCancelled(maker, 0, 1);
        vm.prank(maker);
        router.cancel(0, 1);
        settleRefused(params, notFilled("OrderUsed(address,uint256)"));
    }

    function test_order_cancellingKeepsOlderMarksAndOtherMakersApart() public {
        ExactInputParams memory params = plainQuote();
        vm.prank(recipient);
        router.cancel(0, 1);
        settle(params);
        vm.prank(maker);
        router.cancel(0, 6);
        vm.assertEq(router.nonceBitmap(maker, 0), 7, "filled and cancelled");
    }

    function test_order_needsTheMakersSignature() public {
        Order memory order = makerOrder(weth, 1e18, usdc, 3000e6);
        settleRefused(quote(list(signedBy(DELEGATE_KEY, order)), 1e18, 1), notFilled("BadOrderSignature(address)"));
    }

    function test_order_needsItsSignatureOverExactlyItself() public {
        SignedOrder memory leg = signed(makerOrder(weth, 1e18, usdc, 3000e6));
        leg.order.buyerTokenAmount += 1;
        settleRefused(quote(list(leg), 1e18, 1), notFilled("BadOrderSignature(address)"));
    }

    function test_order_signatureHasOneForm() public {
        Order memory order = makerOrder(weth, 1e18, usdc, 3000e6);
        SignedOrder memory leg = SignedOrder(order, highS(MAKER_KEY, router.hashOrder(order)));
        settleRefused(quote(list(leg), 1e18, 1), notFilled("BadOrderSignature(address)"));
        leg = signed(order);
        leg.signature = bytes.concat(leg.signature, hex"00");
        settleRefused(quote(list(leg), 1e18, 1), notFilled("BadOrderSignature(address)"));
    }

    function test_delegate_signsOnlyWhileItIsNamed() public {
        address delegate = vm.addr(DELEGATE_KEY);
        Order memory order = makerOrder(weth, 1e18, usdc, 3000e6);
        order.signer = delegate;
        ExactInputParams memory params = quote(list(signedBy(DELEGATE_KEY, order)), 1e18, 3000e6);
        settleRefused(params, notFilled("BadOrderSignature(address)"));

        vm.expectEmit(address(router));
        emit ISwapRouter.SignerSet(maker, delegate, true);
        vm.prank(maker);
        router.setOrderSigner(delegate, true);
        uint256 named = vm.snapshotState();
        settle(params);
        vm.revertToState(named);

        vm.prank(maker);
        router.setOrderSigner(delegate, false);
        settleRefused(params, notFilled("BadOrderSignature(address)"));
    }

    function test_delegate_ofOneMakerIsNotADelegateOfAnother() public {
        address delegate = vm.addr(DELEGATE_KEY);
        vm.prank(recipient);
        router.setOrderSigner(delegate, true);
        Order memory order = makerOrder(weth, 1e18, usdc, 3000e6);
        order.signer = delegate;
        settleRefused(quote(list(signedBy(DELEGATE_KEY, order)), 1e18, 1), notFilled("BadOrderSignature(address)"));
    }

    function test_delegate_ofZeroDoesNotAcceptGarbage() public {
        vm.prank(maker);
        router.setOrderSigner(address(0), true);
        Order memory order = makerOrder(weth, 1e18, usdc, 3000e6);
        order.signer = address(0);
        SignedOrder memory leg = SignedOrder(order, new bytes(65));
        settleRefused(quote(list(leg), 1e18, 1), notFilled("BadOrderSignature(address)"));
    }

    function test_contractMaker_agreesThroughErc1271() public {
        ContractMaker vault = new ContractMaker();
        give(usdc, address(vault), 3000e6);
        vault.approve(usdc, address(router));
        Order memory order = makerOrder(weth, 1e18, usdc, 3000e6);
        (order.buyer, order.signer) = (address(vault), address(vault));
        ExactInputParams memory params = quote(list(SignedOrder(order, hex"c0ffee")), 1e18, 3000e6);

        settleRefused(params, notFilled("BadOrderSignature(address)"));
        vault.agree(router.hashOrder(order));
        vault.setAnswer(0x12345678);
        settleRefused(params, notFilled("BadOrderSignature(address)"));
        vault.setAnswer(0x1626ba7e);
        settle(params);
        vm.assertEq(weth.balanceOf(address(vault)), 1e18, "vault was paid");
    }

    function test_contractMaker_cannotBeSpokenForByAnotherContract() public {
        ContractMaker stranger = new ContractMaker();
        Order memory order = makerOrder(weth, 1e18, usdc, 3000e6);
        order.signer = address(stranger);
        stranger.agree(router.hashOrder(order));
        settleRefused(quote(list(SignedOrder(order, hex"c0ffee")), 1e18, 1), notFilled("BadOrderSignature(address)"));
    }

    function test_delegatedCode_doesNotStopAKeyFromSigning() public {
        // An account with EIP-7702 code that knows nothing of ERC-1271.
        vm.etch(maker, hex"60006000fd");
        vm.assertEq(settle(plainQuote()), 3000e6, "settled");
    }

    function test_domain_isBoundToTheChain() public {
        ExactInputParams memory params = plainQuote();
        bytes32 before = router.domainSeparator();
        vm.chainId(4242);
        vm.assertTrue(router.domainSeparator() != before, "domain follows the chain id");
        settleRefused(params, err(ISwapRouter.BadAuthorization.selector));
    }

    function test_domain_isTheOnePublished() public view {
        bytes32 expected = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Ballast SwapRouter"),
                keccak256("1"),
                block.chainid,
                address(router)
            )
        );
        vm.assertEq(router.domainSeparator(), expected, "domain");
    }

    function notFilled(string memory reason) private pure returns (bytes memory) {
        return abi.encodeWithSelector(ISwapRouter.OrderNotFilled.selector, 0, bytes4(keccak256(bytes(reason))));
    }

    /// @dev The second valid form that anyone can derive from a signature.
    function highS(uint256 key, bytes32 digest) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, bytes32(CURVE_ORDER - uint256(s)), v == 27 ? uint8(28) : uint8(27));
    }
}
