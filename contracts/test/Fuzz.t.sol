// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ExactInputParams, ISwapRouter, Order, SignedOrder} from "../src/interfaces/ISwapRouter.sol";
import {Fixture} from "./support/Fixture.sol";

/// @dev Properties that hold for all amounts and for every kind of tampering.
contract FuzzTest is Fixture {
    uint256 private constant KINDS_OF_TAMPERING = 22;

    /// forge-config: default.fuzz.runs = 512
    function testFuzz_anyChangedField_isRefused(uint256 kind, uint256 noise) public {
        // Delegates may sign and a fallback is at hand, so that nothing but the binding stands in the way.
        ExactInputParams memory params = plainQuote();
        params.amountOutMinimum = 2900e6;
        params.fallbackSwapDataArray = entries(v2());
        params.toWrap = false;
        authorize(params);
        bytes32 before = keccak256(abi.encode(params));

        kind = bound(kind, 0, KINDS_OF_TAMPERING - 1);
        tamper(params, kind, noise);
        vm.assume(keccak256(abi.encode(params)) != before);

        uint256 value = kind == 5 ? params.amountIn : 0;
        vm.deal(taker, value);
        vm.prank(taker);
        try router.exactInput{value: value}(params) {
            vm.assertTrue(false, "a tampered quote settled");
        } catch {}
    }

    /// forge-config: default.fuzz.runs = 512
    function testFuzz_anyFlippedBitOfTheOrders_isRefused(uint256 position, uint256 bit) public {
        ExactInputParams memory params = plainQuote();
        params.amountOutMinimum = 2900e6;
        params.fallbackSwapDataArray = entries(v2());
        authorize(params);
        position = bound(position, 0, params.orders.length - 1);
        params.orders[position] ^= bytes1(uint8(1 << (bit % 8)));
        vm.prank(taker);
        try router.exactInput(params) {
            vm.assertTrue(false, "a flipped bit settled");
        } catch {}
    }

    function testFuzz_makerOrder_isExact(uint96 sold, uint96 bought, uint256 feeRate) public {
        vm.assume(sold > 0 && bought > 0);
        feeRate = bound(feeRate, 0, 100);
        uint256 fee = (uint256(sold) * feeRate) / 10_000;
        give(weth, taker, sold);
        give(usdc, maker, bought);
        uint256 takerBefore = weth.balanceOf(taker);
        uint256 makerBefore = weth.balanceOf(maker);

        ExactInputParams memory params = quote(list(signed(makerOrder(weth, sold - fee, usdc, bought))), sold, bought);
        params.widgetFee.feeRate = feeRate;
        authorize(params);
        vm.assertEq(settle(params), bought, "output");
        vm.assertEq(takerBefore - weth.balanceOf(taker), sold, "taker paid");
        vm.assertEq(weth.balanceOf(maker) - makerBefore, sold - fee, "maker got");
        vm.assertEq(weth.balanceOf(widget), fee, "fee");
        assertHoldsNothing();
    }

    function testFuzz_shortMiddleToken_neverFavoursTheTaker(uint256 claimed, uint96 promised) public {
        vm.assume(promised > 1e6);
        uint256 got = quoteV2(address(weth), address(usdc), 1e18);
        claimed = bound(claimed, got / 2, got * 2);
        give(dai, maker, promised);
        uint256 makerUsdc = usdc.balanceOf(maker);
        uint256 makerDai = dai.balanceOf(maker);
        uint256 takerUsdc = usdc.balanceOf(taker);

        SignedOrder[] memory legs =
            list(ammLeg(weth, 1e18, usdc, claimed), signed(makerOrder(usdc, claimed, dai, promised)));
        ExactInputParams memory params = quote(legs, 1e18, 1);
        params.fallbackSwapDataArray = entries(v2(), "");
        authorize(params);
        settle(params);

        uint256 makerGot = usdc.balanceOf(maker) - makerUsdc;
        uint256 makerPaid = makerDai - dai.balanceOf(maker);
        vm.assertLe(makerPaid * claimed, uint256(promised) * makerGot, "maker's price is never worse than signed");
        vm.assertEq(makerGot + usdc.balanceOf(taker) - takerUsdc, got, "every unit of the middle token has an owner");
        assertHoldsNothing();
    }

    function testFuzz_split_deliversTheSumOfItsLegs(uint80 a, uint80 b) public {
        vm.assume(a > 1e12 && b > 1e12);
        give(weth, taker, uint256(a) + b);
        uint256 fromV2 = quoteV2(address(weth), address(usdc), b);
        SignedOrder[] memory legs = list(signed(makerOrder(weth, a, usdc, 1e6)), ammLeg(weth, b, usdc, fromV2));
        ExactInputParams memory params = quote(legs, uint256(a) + b, 1e6 + fromV2);
        params.fallbackSwapDataArray = entries("", v2());
        authorize(params);
        vm.assertEq(settle(params), 1e6 + fromV2, "sum");
        assertHoldsNothing();
    }

    function testFuzz_nothingSettlesBelowTheMinimum(uint256 minimum) public {
        uint256 available = quoteV2(address(weth), address(usdc), 1e18);
        minimum = bound(minimum, available - 1000, available + 1000);
        ExactInputParams memory params = quote(list(ammLeg(weth, 1e18, usdc, available)), 1e18, minimum);
        params.fallbackSwapDataArray = entries(v2());
        authorize(params);
        vm.prank(taker);
        try router.exactInput(params) returns (uint256 amountOut) {
            vm.assertGe(amountOut, minimum, "below the minimum");
        } catch {
            vm.assertLe(available + 1, minimum, "refused without need");
        }
    }

    function tamper(ExactInputParams memory params, uint256 kind, uint256 noise) private pure {
        address someone = address(uint160(noise));
        if (kind == 0) params.recipient = someone;
        else if (kind == 1) params.amountIn = noise;
        else if (kind == 2) params.amountOutMinimum = noise;
        else if (kind == 3) params.widgetFee.signer = someone;
        else if (kind == 4) params.widgetFee.feeRecipient = someone;
        else if (kind == 5) params.toWrap = true;
        else if (kind == 6) params.toUnwrap = true;
        else if (kind == 7) params.widgetFee.feeRate = noise % 101;
        else if (kind == 8) params.fallbackSwapDataArray = new bytes[](0);
        else if (kind == 9) params.fallbackSwapDataArray[0] = v3(500);
        else if (kind == 10) params.widgetFeeSignature[noise % 65] ^= bytes1(uint8(1 << ((noise >> 16) % 8)));
        else params.orders = tamperedOrders(params.orders, kind, noise);
    }

    function tamperedOrders(bytes memory orders, uint256 kind, uint256 noise) private pure returns (bytes memory) {
        SignedOrder[] memory legs = abi.decode(orders, (SignedOrder[]));
        Order memory order = legs[0].order;
        address someone = address(uint160(noise));
        if (kind == 11) order.id = noise;
        else if (kind == 12) order.signer = someone;
        else if (kind == 13) order.buyer = someone;
        else if (kind == 14) order.seller = someone;
        else if (kind == 15) order.buyerToken = someone;
        else if (kind == 16) order.sellerToken = someone;
        else if (kind == 17) order.buyerTokenAmount = noise;
        else if (kind == 18) order.sellerTokenAmount = noise;
        else if (kind == 19) order.quoteId = bytes16(uint128(noise));
        else if (kind == 20) order.deadlineTimestamp = noise;
        else legs[0].signature[noise % 65] ^= bytes1(uint8(1 << ((noise >> 16) % 8)));
        return abi.encode(legs);
    }
}
