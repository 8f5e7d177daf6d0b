// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {RouterAdmin} from "../src/RouterAdmin.sol";
import {ExactInputParams, ISwapRouter, Order, SignedOrder} from "../src/interfaces/ISwapRouter.sol";
import {Token} from "../src/tokens/Token.sol";
import {Fixture} from "./support/Fixture.sol";

/// @dev Every check of the terms and the shape of a route. Each quote is authorised, so only the check can refuse it.
contract ChecksTest is Fixture {
    function test_pause_refusesEntry() public {
        ExactInputParams memory params = plainQuote();
        vm.prank(owner);
        router.pause();
        settleRefused(params, err(ISwapRouter.EntryPaused.selector));
        vm.prank(owner);
        router.unpause();
        settle(params);
    }

    function test_orders_mustBeCanonical() public {
        ExactInputParams memory params = plainQuote();
        bytes memory canonical = params.orders;
        params.orders = bytes.concat(canonical, bytes32(0));
        vm.prank(taker);
        vm.expectRevert(ISwapRouter.NotCanonical.selector);
        router.exactInput(params);
        // Nor can such a route be authorised.
        vm.expectRevert(ISwapRouter.NotCanonical.selector);
        router.hashAuthorization(params, taker);
    }

    function test_orders_mustBeOneToEight() public {
        settleRefused(quote(new SignedOrder[](0), 1, 1), err(ISwapRouter.BadOrderCount.selector, 0));
        settleRefused(quote(equalLegs(9), 9e18, 1), err(ISwapRouter.BadOrderCount.selector, 9));
        vm.assertEq(settle(quote(equalLegs(8), 8e18, 1)), 24_000e6, "eight legs");
    }

    function test_fallbacks_mustBeNoneOrOnePerLeg() public {
        ExactInputParams memory params = plainQuote();
        params.fallbackSwapDataArray = entries("", "");
        authorize(params);
        settleRefused(params, err(ISwapRouter.BadFallbackCount.selector, 2));
    }

    function test_recipient_mustBeAbleToUseTheOutput() public {
        address[3] memory useless = [address(0), address(router), address(executor)];
        for (uint256 i; i < 3; ++i) {
            ExactInputParams memory params = plainQuote();
            params.recipient = useless[i];
            authorize(params);
            settleRefused(params, abi.encodeWithSelector(ISwapRouter.BadRecipient.selector, useless[i]));
        }
    }

    function test_fee_isCapped() public {
        ExactInputParams memory params = quote(list(signed(makerOrder(weth, 0.9899e18, usdc, 2900e6))), 1e18, 2900e6);
        params.widgetFee.feeRate = 101;
        authorize(params);
        settleRefused(params, err(ISwapRouter.FeeTooHigh.selector, 101));
    }

    function test_minimum_mustNotBeZero() public {
        ExactInputParams memory params = plainQuote();
        params.amountOutMinimum = 0;
        authorize(params);
        settleRefused(params, err(ISwapRouter.ZeroMinimum.selector));
    }

    function test_caller_mustBeTheOneOfEveryOrder() public {
        Order memory order = makerOrder(weth, 1e18, usdc, 3000e6);
        order.caller = recipient;
        settleRefused(quote(list(signed(order)), 1e18, 1), err(ISwapRouter.WrongCaller.selector, 0));

        SignedOrder memory good = signed(makerOrder(weth, 1e18, usdc, 3000e6));
        settleRefused(quote(list(good, signed(order)), 2e18, 1), err(ISwapRouter.WrongCaller.selector, 1));
    }

    function test_caller_cannotBeSomebodyWhoSawTheQuote() public {
        ExactInputParams memory params = plainQuote();
        vm.prank(recipient);
        vm.expectRevert(abi.encodeWithSelector(ISwapRouter.WrongCaller.selector, 0));
        router.exactInput(params);
    }

    function test_seller_mustBeTheCaller() public {
        Order memory order = makerOrder(weth, 1e18, usdc, 3000e6);
        order.seller = recipient;
        settleRefused(quote(list(signed(order)), 1e18, 1), err(ISwapRouter.WrongSeller.selector, 0));
    }

    function test_deadline_refusesTheNextSecond() public {
        ExactInputParams memory params = plainQuote();
        params.fallbackSwapDataArray = entries(v2());
        authorize(params);
        vm.warp(NOW + 61);
        settleRefused(params, err(ISwapRouter.OrderExpired.selector, 0, NOW + 60));
    }

    function test_deadline_countsOnEveryLeg() public {
        Order memory late = makerOrder(weth, 1e18, usdc, 3000e6);
        late.deadlineTimestamp = NOW - 1;
        SignedOrder memory good = signed(makerOrder(weth, 1e18, usdc, 3000e6));
        settleRefused(quote(list(good, signed(late)), 2e18, 1), err(ISwapRouter.OrderExpired.selector, 1, NOW - 1));
    }

    function test_quoteId_mustBeOne() public {
        Order memory other = makerOrder(weth, 1e18, usdc, 3000e6);
        other.quoteId = bytes16(uint128(1));
        SignedOrder memory good = signed(makerOrder(weth, 1e18, usdc, 3000e6));
        settleRefused(quote(list(good, signed(other)), 2e18, 1), err(ISwapRouter.MixedQuotes.selector, 1));
    }

    function test_amounts_mustNotBeZero() public {
        settleRefused(
            quote(list(signed(makerOrder(weth, 1e18, usdc, 0))), 1e18, 1), err(ISwapRouter.ZeroAmount.selector, 0)
        );
        settleRefused(
            quote(list(signed(makerOrder(weth, 0, usdc, 3000e6))), 0, 1), err(ISwapRouter.ZeroAmount.selector, 0)
        );
    }

    function test_route_neverBuysItsInput() public {
        SignedOrder[] memory legs = list(
            signed(makerOrder(weth, 1e18, usdc, 3000e6)),
            signed(makerOrder(usdc, 3000e6, weth, 1e18)),
            signed(makerOrder(weth, 1e18, dai, 3000e18))
        );
        settleRefused(quote(legs, 2e18, 1), err(ISwapRouter.InputBought.selector, 1));
    }

    function test_route_isNotACircle() public {
        SignedOrder[] memory circle =
            list(signed(makerOrder(weth, 1e18, usdc, 3000e6)), signed(makerOrder(usdc, 3000e6, weth, 1e18)));
        settleRefused(quote(circle, 1e18, 1), err(ISwapRouter.OutputSold.selector, 0));
    }

    function test_route_neverSellsItsOutput() public {
        SignedOrder[] memory legs = list(
            signed(makerOrder(weth, 1e18, dai, 3000e18)),
            signed(makerOrder(dai, 1000e18, usdc, 1000e6)),
            signed(makerOrder(weth, 1e18, dai, 3000e18))
        );
        settleRefused(quote(legs, 2e18, 1), err(ISwapRouter.OutputSold.selector, 1));
    }

    function test_route_neverSwapsATokenForItself() public {
        SignedOrder[] memory legs = list(
            signed(makerOrder(weth, 1e18, usdc, 3000e6)),
            signed(makerOrder(usdc, 3000e6, usdc, 2999e6)),
            signed(makerOrder(usdc, 2999e6, dai, 2999e18))
        );
        settleRefused(quote(legs, 1e18, 1), err(ISwapRouter.SameToken.selector, 1));
    }

    function test_route_sellsOnlyWhatItBoughtBefore() public {
        SignedOrder[] memory legs =
            list(signed(makerOrder(weth, 1e18, usdc, 3000e6)), signed(makerOrder(dai, 1000e18, usdc, 1000e6)));
        settleRefused(quote(legs, 1e18, 1), abi.encodeWithSelector(ISwapRouter.TokenNotHeld.selector, 1, address(dai)));
    }

    function test_route_sellsExactlyTheInput() public {
        settleRefused(
            quote(list(signed(makerOrder(weth, 1e18, usdc, 3000e6))), 1e18 + 1, 1),
            err(ISwapRouter.InputMismatch.selector, 1e18, 1e18 + 1)
        );
        settleRefused(
            quote(list(signed(makerOrder(weth, 1e18, usdc, 3000e6))), 1e18 - 1, 1),
            err(ISwapRouter.InputMismatch.selector, 1e18, 1e18 - 1)
        );
    }

    function test_route_leavesRoomForTheFee() public {
        ExactInputParams memory params = plainQuote();
        params.widgetFee.feeRate = 10;
        authorize(params);
        settleRefused(params, err(ISwapRouter.InputMismatch.selector, 1e18, 0.999e18));
    }

    function test_route_refusesALegThatHasNothingLeftToSell() public {
        SignedOrder[] memory legs = list(
            signed(makerOrder(weth, 1e18, usdc, 3000e6)),
            signed(makerOrder(usdc, 3000e6, dai, 3000e18)),
            signed(makerOrder(usdc, 1000e6, dai, 1000e18))
        );
        settleRefused(quote(legs, 1e18, 1), err(ISwapRouter.NothingToSell.selector, 2));
    }

    function test_ammLeg_isUnsignedAndHasItsEntry() public {
        SignedOrder memory leg = ammLeg(weth, 1e18, usdc, 2900e6);
        settleRefused(ammQuote(leg, ""), err(ISwapRouter.BadAmmLeg.selector, 0));
        settleRefused(quote(list(leg), 1e18, 2900e6), err(ISwapRouter.BadAmmLeg.selector, 0));
        leg.signature = hex"00";
        settleRefused(ammQuote(leg, v2()), err(ISwapRouter.BadAmmLeg.selector, 0));
        leg.signature = "";
        leg.order.signer = maker;
        settleRefused(ammQuote(leg, v2()), err(ISwapRouter.BadAmmLeg.selector, 0));
    }

    function test_ammLeg_entryIsTwoValuesAndNothingElse() public {
        SignedOrder memory leg = ammLeg(weth, 1e18, usdc, 2900e6);
        settleRefused(ammQuote(leg, bytes.concat(v2(), bytes32(0))), err(ISwapRouter.BadFallbackData.selector));
        settleRefused(ammQuote(leg, hex"02"), err(ISwapRouter.BadFallbackData.selector));
    }

    function test_value_isTheAmountWhenCoinIsSold() public {
        ExactInputParams memory params = plainQuote();
        params.toWrap = true;
        authorize(params);
        vm.startPrank(taker);
        vm.expectRevert(err(ISwapRouter.WrongValue.selector, 1e18 - 1, 1e18));
        router.exactInput{value: 1e18 - 1}(params);
        vm.expectRevert(err(ISwapRouter.WrongValue.selector, 1e18 + 1, 1e18));
        router.exactInput{value: 1e18 + 1}(params);
        vm.stopPrank();
    }

    function test_value_isNothingOtherwise() public {
        ExactInputParams memory params = plainQuote();
        vm.prank(taker);
        vm.expectRevert(err(ISwapRouter.WrongValue.selector, 1, 0));
        router.exactInput{value: 1}(params);
    }

    function test_wrapping_isForTheWrappedCoinOnly() public {
        ExactInputParams memory params = quote(list(signed(makerOrder(dai, 1e18, usdc, 1e6))), 1e18, 1e6);
        params.toWrap = true;
        authorize(params);
        settleRefused(params, abi.encodeWithSelector(ISwapRouter.NotWrappedNative.selector, address(dai)));

        params = plainQuote();
        params.toUnwrap = true;
        authorize(params);
        settleRefused(params, abi.encodeWithSelector(ISwapRouter.NotWrappedNative.selector, address(usdc)));
    }

    function test_receive_takesCoinFromTheWrapperOnly() public {
        vm.prank(taker);
        (bool ok, bytes memory answer) = address(router).call{value: 1}("");
        vm.assertFalse(ok, "coin was taken");
        vm.assertEq(answer, err(ISwapRouter.OnlyWrappedNative.selector), "reason");
    }

    function test_fillOrder_isForTheRouterItself() public {
        SignedOrder memory leg = signed(makerOrder(weth, 1e18, usdc, 3000e6));
        give(weth, address(router), 1e18);
        vm.prank(taker);
        vm.expectRevert(ISwapRouter.OnlySelf.selector);
        router.fillOrder(leg.order, leg.signature, 1e18);
    }

    function ammQuote(SignedOrder memory leg, bytes memory entry)
        private
        view
        returns (ExactInputParams memory params)
    {
        params = quote(list(leg), 1e18, 2900e6);
        params.fallbackSwapDataArray = entries(entry);
        authorize(params);
    }

    function equalLegs(uint256 count) private returns (SignedOrder[] memory legs) {
        legs = new SignedOrder[](count);
        for (uint256 i; i < count; ++i) {
            legs[i] = signed(makerOrder(weth, 1e18, usdc, 3000e6));
        }
    }
}
