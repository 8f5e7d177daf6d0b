// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ExactInputParams, Order, SignedOrder} from "../src/interfaces/ISwapRouter.sol";
import {Token} from "../src/tokens/Token.sol";
import {Fixture} from "./support/Fixture.sol";

/// @dev Makes random swaps in one long-lived market, and holds every single one to the invariants.
contract SwapHandler is Fixture {
    uint256 public swaps;
    uint256 public fallbacks;
    uint256 public replays;

    struct Balances {
        uint256[5] weth;
        uint256[5] usdc;
        uint256[5] dai;
    }

    Balances private _before;
    Token[3] private _tokens;

    function setUp() public override {
        super.setUp();
        _tokens = [Token(address(weth)), usdc, dai];
        addV2(weth, 1000e18, dai, 3_000_000e18);
    }

    function makerOnly(uint256 pair, uint256 amount, uint256 feeRate, bool broken) external {
        (Token sold, Token bought) = pairOf(pair);
        amount = amountOf(sold, amount);
        feeRate = bound(feeRate, 0, 100);
        uint256 net = amount - (amount * feeRate) / 10_000;
        uint256 fromPool = quoteV2(address(sold), address(bought), net);
        ExactInputParams memory params =
            quote(list(signed(makerOrder(sold, net, bought, fromPool + 1))), amount, fromPool);
        params.widgetFee.feeRate = feeRate;
        params.fallbackSwapDataArray = entries(v2());
        authorize(params);
        run(params, sold, bought, broken);
    }

    function split(uint256 pair, uint256 amount, uint256 part, bool broken) external {
        (Token sold, Token bought) = pairOf(pair);
        amount = amountOf(sold, amount);
        part = bound(part, 1, amount - 1);
        uint256 fromPool = quoteV2(address(sold), address(bought), amount - part);
        if (fromPool == 0) return;
        SignedOrder[] memory legs =
            list(signed(makerOrder(sold, part, bought, 7)), ammLeg(sold, amount - part, bought, fromPool));
        ExactInputParams memory params = quote(legs, amount, 1);
        // Broken or not, the pool's leg works; a broken maker without fallback makes the whole call revert.
        params.fallbackSwapDataArray = entries("", v2());
        authorize(params);
        if (!broken) return run(params, sold, bought, false);
        breakMaker(bought);
        vm.prank(taker);
        try router.exactInput(params) {
            vm.assertTrue(false, "half a split settled");
        } catch {}
        mendMaker(bought);
    }

    function hops(uint256 amount, uint256 claimed, bool viaMakerFirst) external {
        amount = amountOf(weth, amount);
        uint256 got = quoteV2(address(weth), address(usdc), amount);
        claimed = bound(claimed, got - got / 4, got + got / 4);
        SignedOrder[] memory legs = viaMakerFirst
            ? list(signed(makerOrder(weth, amount, usdc, got)), ammLeg(usdc, claimed < got ? claimed : got, dai, 1))
            : list(ammLeg(weth, amount, usdc, got), signed(makerOrder(usdc, claimed, dai, claimed * 1e12)));
        ExactInputParams memory params = quote(legs, amount, 1);
        params.fallbackSwapDataArray = viaMakerFirst ? entries("", v2()) : entries(v2(), "");
        authorize(params);
        run(params, weth, dai, false);
    }

    function run(ExactInputParams memory params, Token sold, Token bought, bool broken) private {
        give(sold, taker, params.amountIn);
        give(bought, maker, 1e25);
        if (broken) breakMaker(bought);
        record();
        vm.prank(taker);
        uint256 amountOut = router.exactInput(params);
        if (broken) {
            mendMaker(bought);
            ++fallbacks;
        }
        check(params, sold, bought, amountOut, broken);
        ++swaps;
        replay(params);
    }

    /// @dev I5 and I6: neither the same quote nor its orders under a fresh authorisation fill again.
    function replay(ExactInputParams memory params) private {
        vm.prank(taker);
        try router.exactInput(params) {
            ++replays;
        } catch {}
        SignedOrder[] memory legs = abi.decode(params.orders, (SignedOrder[]));
        bool consumed;
        for (uint256 i; i < legs.length; ++i) {
            uint256 id = legs[i].order.id;
            if (router.nonceBitmap(legs[i].order.buyer, id >> 8) & (1 << (id & 255)) != 0) consumed = true;
        }
        if (!consumed) return;
        params.amountOutMinimum = 1;
        params.recipient = address(0xF4E5);
        params.fallbackSwapDataArray = new bytes[](legs.length);
        for (uint256 i; i < legs.length; ++i) {
            if (legs[i].order.buyer == address(executor)) params.fallbackSwapDataArray[i] = v2();
        }
        authorize(params);
        vm.prank(taker);
        try router.exactInput(params) {
            ++replays;
        } catch {}
    }

    function check(ExactInputParams memory params, Token sold, Token bought, uint256 amountOut, bool broken)
        private
        view
    {
        assertHoldsNothing(); // I1
        for (uint256 i; i < 3; ++i) {
            Token token = _tokens[i];
            uint256[5] memory old = i == 0 ? _before.weth : i == 1 ? _before.usdc : _before.dai;
            uint256[5] memory now_ = balancesOf(token);
            // I2: the taker pays exactly what it agreed to, and can only gain in every other token.
            if (same(token, sold)) vm.assertEq(old[0] - now_[0], params.amountIn, "taker paid");
            else vm.assertGe(now_[0], old[0], "taker lost another token");
            // I3
            if (same(token, bought)) vm.assertEq(now_[1] - old[1], amountOut, "recipient got");
            else vm.assertEq(now_[1], old[1], "recipient got another token");
            // I4: the maker only ever pays with what it sold, and nothing when its leg failed.
            if (!same(token, bought) && !same(token, usdc)) vm.assertGe(now_[2], old[2], "maker lost another token");
            if (broken) vm.assertEq(now_[2], old[2], "a failed maker moved");
            // I7
            vm.assertLe((now_[3] - old[3]) * 100, params.amountIn, "fee above its cap");
            if (!same(token, sold)) vm.assertEq(now_[3], old[3], "fee in another token");
            // I10: a bystander who approved the router is never touched.
            vm.assertEq(now_[4], old[4], "a bystander moved");
            // I9
            vm.assertEq(token.allowance(address(router), address(executor)), 0, "router's allowance to the executor");
        }
        vm.assertGe(amountOut, params.amountOutMinimum, "minimum");
    }

    function record() private {
        for (uint256 i; i < 3; ++i) {
            address bystander = address(0xB157A);
            vm.prank(bystander);
            _tokens[i].approve(address(router), type(uint256).max);
            give(_tokens[i], bystander, 1e18);
        }
        _before = Balances(balancesOf(weth), balancesOf(usdc), balancesOf(dai));
    }

    function balancesOf(Token token) private view returns (uint256[5] memory) {
        return [
            token.balanceOf(taker),
            token.balanceOf(recipient),
            token.balanceOf(maker),
            token.balanceOf(widget),
            token.balanceOf(address(0xB157A))
        ];
    }

    function breakMaker(Token token) private {
        vm.prank(maker);
        token.approve(address(router), 0);
    }

    function mendMaker(Token token) private {
        vm.prank(maker);
        token.approve(address(router), type(uint256).max);
    }

    function pairOf(uint256 pair) private view returns (Token, Token) {
        uint256 first = pair % 3;
        return (_tokens[first], _tokens[(first + 1 + (pair >> 8) % 2) % 3]);
    }

    function same(Token a, Token b) private pure returns (bool) {
        return address(a) == address(b);
    }

    function amountOf(Token token, uint256 amount) private view returns (uint256) {
        uint256 unit = same(token, usdc) ? 1e6 : 1e18;
        return bound(amount, unit / 100, same(token, weth) ? unit : 3000 * unit);
    }
}

contract InvariantTest is Fixture {
    SwapHandler private handler;

    function setUp() public override {
        handler = new SwapHandler();
        handler.setUp();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function targetSelectors() public view returns (FuzzSelector[] memory targets) {
        targets = new FuzzSelector[](1);
        targets[0].addr = address(handler);
        targets[0].selectors = new bytes4[](3);
        targets[0].selectors[0] = SwapHandler.makerOnly.selector;
        targets[0].selectors[1] = SwapHandler.split.selector;
        targets[0].selectors[2] = SwapHandler.hops.selector;
    }

    /// @dev I5 and I6; the handler asserts the others after each swap.
    function invariant_nothingSettlesTwice() public view {
        vm.assertEq(handler.replays(), 0, "a replay settled");
    }
}
