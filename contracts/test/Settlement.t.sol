// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ExactInputParams, ISwapRouter, Order, SignedOrder} from "../src/interfaces/ISwapRouter.sol";
import {IAmmExecutor} from "../src/interfaces/IAmmExecutor.sol";
import {Tokens} from "../src/libraries/Tokens.sol";
import {Token} from "../src/tokens/Token.sol";
import {NoReturnToken} from "../src/tokens/NoReturnToken.sol";
import {Fixture} from "./support/Fixture.sol";
import {BombToken, ContractMaker, GasBurnerToken} from "./support/Helpers.sol";

/// @dev What a settled quote moves, leg by leg.
contract SettlementTest is Fixture {
    /// @dev EIP-170. It also tells that the code under test is the optimised one: the other is larger.
    function test_router_fitsIntoTheCodeOfAContract() public view {
        vm.assertLe(address(router).code.length, 24_576, "bytes");
    }

    /// forge-config: default.isolate = true
    function test_makerOrder_movesExactlyWhatWasSigned() public {
        ExactInputParams memory params = plainQuote();
        bytes32 authorization = router.hashAuthorization(params, taker);
        uint256 takerBefore = weth.balanceOf(taker);
        uint256 makerBefore = usdc.balanceOf(maker);

        vm.expectEmit(address(router));
        emit ISwapRouter.OrderFilled(maker, 0, QUOTE_ID, address(weth), address(usdc), 1e18, 3000e6);
        vm.expectEmit(address(router));
        emit ISwapRouter.Swapped(authorization, taker, recipient, address(weth), address(usdc), 1e18, 3000e6, QUOTE_ID);
        vm.assertEq(settle(params), 3000e6, "returned amount");
        noteGas("maker");

        vm.assertEq(takerBefore - weth.balanceOf(taker), 1e18, "taker paid");
        vm.assertEq(makerBefore - usdc.balanceOf(maker), 3000e6, "maker paid");
        vm.assertEq(weth.balanceOf(maker), 1_000_001e18, "maker got");
        vm.assertEq(usdc.balanceOf(recipient), 3000e6, "recipient got");
        vm.assertTrue(router.usedAuthorization(authorization), "authorisation consumed");
        vm.assertEq(router.nonceBitmap(maker, 0), 1, "order consumed");
        assertHoldsNothing();
    }

    function test_event_saysWhatWasDeliveredAndNotTheMinimum() public {
        ExactInputParams memory params = quote(list(signed(makerOrder(weth, 1e18, usdc, 3000e6))), 1e18, 2900e6);
        bytes32 authorization = router.hashAuthorization(params, taker);
        vm.expectEmit(address(router));
        emit ISwapRouter.Swapped(authorization, taker, recipient, address(weth), address(usdc), 1e18, 3000e6, QUOTE_ID);
        vm.assertEq(settle(params), 3000e6, "returned amount");
    }

    /// forge-config: default.isolate = true
    function test_fee_isTakenFromTheInputAndRoundedDown() public {
        uint256 amountIn = 1e18 + 199;
        uint256 fee = 5e15; // 50 bps of 1e18 + 199, rounded down
        SignedOrder[] memory legs = list(signed(makerOrder(weth, amountIn - fee, usdc, 2985e6)));
        ExactInputParams memory params = quote(legs, amountIn, 2985e6);
        params.widgetFee.feeRate = 50;
        authorize(params);

        vm.expectEmit(address(router));
        emit ISwapRouter.WidgetFeePaid(widget, address(weth), fee, QUOTE_ID);
        settle(params);
        noteGas("maker with a fee");
        vm.assertEq(weth.balanceOf(widget), fee, "fee");
        assertHoldsNothing();
    }

    function test_fee_ofTheCapIsAllowed() public {
        ExactInputParams memory params = quote(list(signed(makerOrder(weth, 0.99e18, usdc, 2970e6))), 1e18, 2970e6);
        params.widgetFee.feeRate = 100;
        authorize(params);
        settle(params);
        vm.assertEq(weth.balanceOf(widget), 0.01e18, "fee");
    }

    function test_fee_ofZeroMovesNothing() public {
        vm.recordLogs();
        settle(plainQuote());
        // Two transfers of each token, OrderFilled, Swapped: no transfer of zero and no WidgetFeePaid.
        vm.assertEq(vm.getRecordedLogs().length, 6, "logs");
    }

    /// forge-config: default.isolate = true
    function test_split_overMakerAndBothPools() public {
        SignedOrder[] memory legs = list(
            signed(makerOrder(weth, 1e18, usdc, 3000e6)),
            ammLeg(weth, 2e18, usdc, 5900e6),
            ammLeg(weth, 3e18, usdc, 8900e6)
        );
        uint256 fromV2 = quoteV2(address(weth), address(usdc), 2e18);
        ExactInputParams memory params = quote(legs, 6e18, 17_800e6);
        params.fallbackSwapDataArray = new bytes[](3);
        params.fallbackSwapDataArray[1] = v2();
        params.fallbackSwapDataArray[2] = v3(500);
        authorize(params);

        uint256 amountOut = settle(params);
        noteGas("split over maker, v2 and v3");
        vm.assertGe(amountOut, 3000e6 + fromV2 + 8900e6, "all legs count");
        vm.assertEq(usdc.balanceOf(recipient), amountOut, "recipient got it");
        assertHoldsNothing();
    }

    /// forge-config: default.isolate = true
    function test_ammLeg_v2PaysThePairFormulaInBothDirections() public {
        uint256 expected = quoteV2(address(weth), address(usdc), 1e18);
        vm.assertEq(settle(ammQuote(weth, 1e18, usdc, 2900e6, v2())), expected, "WETH to USDC");
        noteGas("v2");
        expected = quoteV2(address(usdc), address(weth), 3000e6);
        vm.assertEq(settle(ammQuote(usdc, 3000e6, weth, 0.9e18, v2())), expected, "USDC to WETH");
        assertHoldsNothing();
    }

    /// forge-config: default.isolate = true
    function test_ammLeg_v3InBothDirections() public {
        // 1 WETH into 1000 : 3,000,000 at 5 bps: 2995.5 by the curve
        uint256 out = settle(ammQuote(weth, 1e18, usdc, 2900e6, v3(500)));
        noteGas("v3");
        vm.assertGe(out, 2995e6, "WETH to USDC");
        vm.assertLe(out, 2996e6, "WETH to USDC");
        out = settle(ammQuote(usdc, 3000e6, weth, 0.9e18, v3(500)));
        vm.assertGe(out, 1e18, "USDC to WETH");
        vm.assertLe(out, 1.001e18, "USDC to WETH");
        assertHoldsNothing();
    }

    function test_ammLeg_usesThePoolOfTheGivenFee() public {
        address dearPool = addV3(weth, 1000e18, usdc, 2_000_000e6, 3000, 887220);
        uint256 before = weth.balanceOf(dearPool);
        uint256 out = settle(ammQuote(weth, 1e18, usdc, 1900e6, v3(3000)));
        vm.assertEq(weth.balanceOf(dearPool) - before, 1e18, "the pool of 30 bps was paid");
        vm.assertLe(out, 2000e6, "at its price");
    }

    /// forge-config: default.isolate = true
    function test_hops_surplusOfTheMiddleTokenGoesToTheCaller() public {
        uint256 fromV2 = quoteV2(address(weth), address(usdc), 1e18);
        SignedOrder[] memory legs =
            list(ammLeg(weth, 1e18, usdc, 2900e6), signed(makerOrder(usdc, 2900e6, dai, 2900e18)));
        ExactInputParams memory params = quote(legs, 1e18, 2900e18);
        params.fallbackSwapDataArray = entries(v2(), "");
        authorize(params);
        uint256 before = usdc.balanceOf(taker);

        vm.expectEmit(address(router));
        emit ISwapRouter.Refunded(taker, address(usdc), fromV2 - 2900e6, QUOTE_ID);
        vm.assertEq(settle(params), 2900e18, "maker filled in full");
        noteGas("two hops with a surplus");
        vm.assertEq(usdc.balanceOf(taker) - before, fromV2 - 2900e6, "surplus refunded");
        assertHoldsNothing();
    }

    function test_hops_shortMiddleTokenFillsTheMakerProRataRoundedDown() public {
        uint256 fromV2 = quoteV2(address(weth), address(usdc), 1e18);
        SignedOrder[] memory legs =
            list(ammLeg(weth, 1e18, usdc, 3100e6), signed(makerOrder(usdc, 3100e6, dai, 3100e18 + 7)));
        ExactInputParams memory params = quote(legs, 1e18, 2900e18);
        params.fallbackSwapDataArray = entries(v2(), "");
        authorize(params);

        uint256 expected = ((3100e18 + 7) * fromV2) / 3100e6;
        uint256 makerBefore = dai.balanceOf(maker);
        vm.assertTrue(((3100e18 + 7) * fromV2) % 3100e6 != 0, "the example must need rounding");
        vm.assertEq(settle(params), expected, "pro rata");
        vm.assertEq(makerBefore - dai.balanceOf(maker), expected, "maker paid pro rata");
        assertHoldsNothing();
    }

    /// forge-config: default.isolate = true
    function test_hops_overTwoMakersAndAPool() public {
        SignedOrder[] memory legs = list(
            signed(makerOrder(weth, 1e18, usdc, 3000e6)),
            signed(makerOrder(usdc, 1000e6, dai, 999e18)),
            ammLeg(usdc, 2000e6, dai, 1990e18)
        );
        uint256 fromV2 = quoteV2(address(usdc), address(dai), 2000e6);
        ExactInputParams memory params = quote(legs, 1e18, 2980e18);
        params.fallbackSwapDataArray = new bytes[](3);
        params.fallbackSwapDataArray[2] = v2();
        authorize(params);
        vm.assertEq(settle(params), 999e18 + fromV2, "both second hops");
        noteGas("two hops over two makers and v2");
        assertHoldsNothing();
    }

    /// forge-config: default.isolate = true
    function test_native_soldIsWrapped() public {
        ExactInputParams memory params = plainQuote();
        params.toWrap = true;
        authorize(params);
        uint256 coin = taker.balance;
        uint256 wrapped = weth.balanceOf(taker);
        vm.assertEq(settle(params), 3000e6, "amount");
        noteGas("native coin sold");
        vm.assertEq(coin - taker.balance, 1e18, "paid in coin");
        vm.assertEq(weth.balanceOf(taker), wrapped, "wrapped balance untouched");
        assertHoldsNothing();
    }

    /// forge-config: default.isolate = true
    function test_native_boughtIsUnwrapped() public {
        ExactInputParams memory params = quote(list(signed(makerOrder(usdc, 3000e6, weth, 1e18))), 3000e6, 1e18);
        params.toUnwrap = true;
        authorize(params);
        vm.assertEq(settle(params), 1e18, "amount");
        noteGas("native coin bought");
        vm.assertEq(recipient.balance, 1e18, "recipient got coin");
        vm.assertEq(weth.balanceOf(recipient), 0, "and nothing wrapped");
        assertHoldsNothing();
    }

    /// forge-config: default.isolate = true
    function test_fallback_runsWhenTheMakerCannotPay() public {
        ExactInputParams memory params = plainQuote();
        params.amountOutMinimum = 2900e6;
        params.fallbackSwapDataArray = entries(v2());
        authorize(params);
        vm.prank(maker);
        usdc.approve(address(router), 0);

        uint256 expected = quoteV2(address(weth), address(usdc), 1e18);
        uint256 makerBefore = weth.balanceOf(maker);
        vm.expectEmit(address(router));
        emit ISwapRouter.FallbackUsed(maker, 0, QUOTE_ID);
        vm.assertEq(settle(params), expected, "the pool's price");
        noteGas("fallback to v2");
        vm.assertEq(weth.balanceOf(maker), makerBefore, "maker got nothing");
        vm.assertEq(router.nonceBitmap(maker, 0), 0, "the failed leg was undone as a whole");
        assertHoldsNothing();
    }

    function test_fallback_isNotUsedWhenTheMakerFills() public {
        ExactInputParams memory params = plainQuote();
        params.fallbackSwapDataArray = entries(v2());
        authorize(params);
        vm.assertEq(settle(params), 3000e6, "the maker's price");
    }

    function test_fallback_runsWhenTheOrderWasCancelled() public {
        ExactInputParams memory params = plainQuote();
        params.amountOutMinimum = 2900e6;
        params.fallbackSwapDataArray = entries(v3(500));
        authorize(params);
        vm.prank(maker);
        router.cancel(0, 1);
        vm.assertGe(settle(params), 2990e6, "the pool's price");
    }

    function test_fallback_isHeldToTheMinimum() public {
        ExactInputParams memory params = plainQuote();
        params.fallbackSwapDataArray = entries(v2());
        authorize(params);
        vm.prank(maker);
        usdc.approve(address(router), 0);
        uint256 poor = quoteV2(address(weth), address(usdc), 1e18);
        settleRefused(params, err(ISwapRouter.InsufficientOutput.selector, poor, 3000e6));
    }

    function test_fallback_absentMeansTheCallRevertsWithTheReason() public {
        ExactInputParams memory params = plainQuote();
        vm.prank(maker);
        usdc.approve(address(router), 0);
        settleRefused(
            params, abi.encodeWithSelector(ISwapRouter.OrderNotFilled.selector, 0, Tokens.TransferFailed.selector)
        );
    }

    function test_fallback_survivesAMakerTokenThatBurnsAllGas() public {
        GasBurnerToken burn = new GasBurnerToken();
        fund(burn);
        addV2(weth, 1000e18, burn, 1000e18);
        ExactInputParams memory params = quote(list(signed(makerOrder(burn, 1e18, weth, 1e18))), 1e18, 0.9e18);
        params.fallbackSwapDataArray = entries(v2());
        authorize(params);
        burn.setVictim(maker);

        uint256 gasBefore = gasleft();
        settle(params);
        vm.assertLe(gasBefore - gasleft(), 1_200_000, "gas bounded by the leg's ceiling");
        vm.assertEq(router.nonceBitmap(maker, 0), 0, "the fallback ran");
    }

    function test_fallback_survivesAMakerThatAnswersWithAMountainOfBytes() public {
        BombToken bomb = new BombToken();
        fund(bomb);
        ExactInputParams memory params = quote(list(signed(makerOrder(weth, 1e18, bomb, 1e18))), 1e18, 0.9e18);
        bomb.setArmed(true);
        uint256 gasBefore = gasleft();
        settleRefused(
            params, abi.encodeWithSelector(ISwapRouter.OrderNotFilled.selector, 0, Tokens.TransferFailed.selector)
        );
        vm.assertLe(gasBefore - gasleft(), 700_000, "gas bounded by the leg's ceiling");
    }

    function test_gas_starvingTheMakerLegDoesNotReachTheFallback() public {
        ContractMaker vault = new ContractMaker();
        vault.approve(usdc, address(router));
        give(usdc, address(vault), 3000e6);
        Order memory order = makerOrder(weth, 1e18, usdc, 3000e6);
        (order.buyer, order.signer) = (address(vault), address(vault));
        vault.agree(router.hashOrder(order));
        vault.setGasNeeded(430_000);
        ExactInputParams memory params = quote(list(SignedOrder(order, "")), 1e18, 2900e6);
        params.fallbackSwapDataArray = entries(v2());
        authorize(params);

        uint256 settled;
        uint256 snapshot = vm.snapshotState();
        for (uint256 gas_ = 100_000; gas_ < 1_000_000; gas_ += 10_000) {
            vm.prank(taker);
            try router.exactInput{gas: gas_}(params) returns (uint256 amountOut) {
                vm.assertEq(amountOut, 3000e6, "a starved maker leg fell back");
                ++settled;
            } catch {}
            vm.revertToState(snapshot);
        }
        vm.assertGe(settled, 20, "with enough gas the maker fills");
    }

    /// @dev As above for a maker that needs the last unit of its ceiling: encoding its call must not be at its expense.
    function test_gas_aMakerLegGetsItsWholeCeilingOrNone() public {
        ContractMaker vault = new ContractMaker();
        vault.approve(usdc, address(router));
        give(usdc, address(vault), 3000e6);
        Order memory order = makerOrder(weth, 1e18, usdc, 3000e6);
        (order.buyer, order.signer) = (address(vault), address(vault));
        vault.agree(router.hashOrder(order));
        ExactInputParams memory params = quote(list(SignedOrder(order, "")), 1e18, 2900e6);
        params.fallbackSwapDataArray = entries(v2());
        authorize(params);

        uint256 snapshot = vm.snapshotState();
        (uint256 enough, uint256 tooMuch) = (0, 500_000);
        while (tooMuch - enough > 1) {
            uint256 middle = (enough + tooMuch) / 2;
            if (_settlesFor(params, vault, middle, 3_000_000) == 3000e6) enough = middle;
            else tooMuch = middle;
            vm.revertToState(snapshot);
        }
        vm.assertGe(enough, 400_000, "the most that the maker can need");

        (uint256 settled, uint256 refused) = (0, 0);
        for (uint256 gas_ = 550_000; gas_ < 800_000; gas_ += 500) {
            uint256 amountOut = _settlesFor(params, vault, enough, gas_);
            if (amountOut == 0) ++refused;
            else ++settled;
            vm.assertTrue(amountOut == 0 || amountOut == 3000e6, "a starved maker leg fell back");
            vm.revertToState(snapshot);
        }
        vm.assertGe(settled, 20, "with enough gas the maker fills");
        vm.assertGe(refused, 20, "with less nothing happens");
    }

    /// @dev What the swap delivers with so much gas, to a maker that needs so much; zero where it is refused.
    function _settlesFor(ExactInputParams memory params, ContractMaker vault, uint256 needed, uint256 gas_)
        private
        returns (uint256)
    {
        vault.setGasNeeded(needed);
        vm.prank(taker);
        try router.exactInput{gas: gas_}(params) returns (uint256 amountOut) {
            return amountOut;
        } catch {
            return 0;
        }
    }

    function test_gas_aMakerLegWithoutFallbackNeedsNoReserve() public {
        ExactInputParams memory params = plainQuote();
        vm.prank(taker);
        vm.assertEq(router.exactInput{gas: 300_000}(params), 3000e6, "settled");
    }

    function test_tokenWithoutReturnValue_settlesOnBothSides() public {
        Token usdt = Token(address(new NoReturnToken("Tether", "USDT", 6)));
        usdt.mint(taker, 1e12);
        usdt.mint(maker, 1e12);
        vm.prank(taker);
        NoReturnToken(address(usdt)).approve(address(router), type(uint256).max);
        vm.prank(maker);
        NoReturnToken(address(usdt)).approve(address(router), type(uint256).max);
        settle(quote(list(signed(makerOrder(usdt, 3000e6, weth, 1e18))), 3000e6, 1e18));
        settle(quote(list(signed(makerOrder(weth, 1e18, usdt, 3000e6))), 1e18, 3000e6));
        vm.assertEq(usdt.balanceOf(recipient), 3000e6, "USDT delivered");
        vm.assertEq(usdt.balanceOf(address(router)), 0, "nothing stayed");
    }

    function test_deadline_isTheLastValidSecond() public {
        ExactInputParams memory params = plainQuote();
        vm.warp(NOW + 60);
        vm.assertEq(settle(params), 3000e6, "still valid");
    }

    function test_donationsBeforeTheSwap_areNotTouched() public {
        give(usdc, address(router), 5e6);
        give(weth, address(router), 7);
        settle(plainQuote());
        vm.assertEq(usdc.balanceOf(address(router)), 5e6, "USDC donation");
        vm.assertEq(weth.balanceOf(address(router)), 7, "WETH donation");
        vm.assertEq(usdc.balanceOf(recipient), 3000e6, "recipient got only the swap");
    }

    function ammQuote(Token sold, uint256 amount, Token bought, uint256 minimum, bytes memory entry)
        internal
        returns (ExactInputParams memory params)
    {
        params = quote(list(ammLeg(sold, amount, bought, minimum)), amount, minimum);
        params.fallbackSwapDataArray = entries(entry);
        authorize(params);
    }
}
