// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ExactInputParams, Order, SignedOrder} from "../src/interfaces/ISwapRouter.sol";
import {Token} from "../src/tokens/Token.sol";
import {Campaign} from "./support/Campaign.sol";
import {Fixture} from "./support/Fixture.sol";

/// @dev Swaps between honest tokens and one that misbehaves, in every mood it has. Whatever it does, nobody loses an honest
///      token that he did not sign away, and the router serves the next one.
contract HostileHandler is Fixture {
    uint256 private constant MOODS = 24;
    address private constant BYSTANDER = address(0xB157A);

    /// @dev How often each thing happened, by its name.
    mapping(string what => uint256) public count;
    mapping(uint256 mood => uint256) public tried;

    Token private moody;
    Token[2] private honest;
    /// @dev Of WETH, USDC and the native coin.
    struct Held {
        uint256[3] taker;
        uint256[3] recipient;
        uint256[3] maker;
        uint256[3] widget;
        uint256[3] bystander;
    }

    Held private had;

    function setUp() public override {
        super.setUp();
        moody = Token(built("Token", abi.encode("Moody", "MOOD", 18)));
        fund(moody);
        addV2(weth, 1000e18, moody, 3_000_000e18);
        addV2(moody, 3_000_000e18, usdc, 3_000_000e6);
        honest = [Token(address(weth)), usdc];
        for (uint256 i; i < 2; ++i) {
            give(honest[i], BYSTANDER, 1e18);
            vm.prank(BYSTANDER);
            honest[i].approve(address(router), type(uint256).max);
        }
        vm.etch(address(moody), built("MoodyToken", "").code);
        setMood(0);
    }

    /// @dev An honest token for the moody one, by the maker, a pool, or the pool once the maker has failed.
    function buy(uint256 draw, uint256 mood, uint256 amount) external {
        (Token sold, uint256 amountIn) = amountOf(draw, amount);
        uint256 fromPool = quoteV2(address(sold), address(moody), amountIn);
        SignedOrder memory leg = (draw >> 8) % 2 == 0
            ? signed(makerOrder(sold, amountIn, moody, fromPool + 1))
            : ammLeg(sold, amountIn, moody, fromPool);
        ExactInputParams memory params = quote(list(leg), amountIn, minimumOf(draw, fromPool));
        if ((draw >> 8) % 4 != 0) params.fallbackSwapDataArray = entries(v2());
        attempt(params, sold, moody, mood);
    }

    /// @dev The moody token for an honest one, with a fee in the moody one.
    function sell(uint256 draw, uint256 mood, uint256 amount) external {
        Token bought = honest[draw % 2];
        uint256 amountIn = bound(amount, 1e15, 1e20);
        uint256 feeRate = (draw >> 16) % 101;
        uint256 net = amountIn - (amountIn * feeRate) / 10_000;
        uint256 fromPool = quoteV2(address(moody), address(bought), net);
        SignedOrder memory leg = (draw >> 8) % 2 == 0
            ? signed(makerOrder(moody, net, bought, fromPool + 1))
            : ammLeg(moody, net, bought, fromPool);
        ExactInputParams memory params = quote(list(leg), amountIn, minimumOf(draw, fromPool));
        params.widgetFee.feeRate = feeRate;
        if ((draw >> 8) % 4 != 0) params.fallbackSwapDataArray = entries(v2());
        attempt(params, moody, bought, mood);
    }

    /// @dev WETH for USDC by way of the moody token: the maker sells it, a pool buys it.
    function pass(uint256 draw, uint256 mood, uint256 amount) external {
        amount = bound(amount, 1e15, 1e18);
        uint256 between = quoteV2(address(weth), address(moody), amount);
        SignedOrder memory first = draw % 2 == 0
            ? signed(makerOrder(weth, amount, moody, between))
            : ammLeg(weth, amount, moody, between);
        ExactInputParams memory params = quote(list(first, ammLeg(moody, between, usdc, 1)), amount, 1);
        params.fallbackSwapDataArray = entries(v2(), v2());
        attempt(params, weth, usdc, mood);
    }

    function attempt(ExactInputParams memory params, Token sold, Token bought, uint256 mood) private {
        mood %= MOODS;
        authorize(params);
        had = Held(held(taker), held(recipient), held(maker), held(widget), held(BYSTANDER));
        uint256 recipientHad = bought.balanceOf(recipient);
        setMood(mood);
        ++tried[mood];
        bool settled;
        uint256 amountOut;
        vm.prank(taker);
        try router.exactInput(params) returns (uint256 got) {
            (settled, amountOut) = (true, got);
        } catch {}
        if (settled) {
            vm.assertGe(amountOut, params.amountOutMinimum, "minimum");
            vm.assertGe(bought.balanceOf(recipient), recipientHad + params.amountOutMinimum, "the minimum arrived");
        }
        ++count[settled ? mood == 0 ? "settled" : "settled in a mood" : mood == 0 ? "refused" : "refused in a mood"];
        check(params, sold, bought, settled, amountOut);
        setMood(0);
        if (settled) replay(params);
        // A token that misbehaves locks nobody out.
        fund(weth);
        fund(usdc);
        vm.assertEq(settle(plainQuote()), 3000e6, "an honest swap");
    }

    /// @dev In its best mood, so that it is not the token that refuses.
    function replay(ExactInputParams memory params) private {
        vm.prank(taker);
        try router.exactInput(params) {
            ++count["replayed"];
        } catch {}
    }

    function check(ExactInputParams memory params, Token sold, Token bought, bool settled, uint256 amountOut)
        private
        view
    {
        Order memory order = abi.decode(params.orders, (SignedOrder[]))[0].order;
        Held memory has = Held(held(taker), held(recipient), held(maker), held(widget), held(BYSTANDER));
        for (uint256 i; i < 3; ++i) {
            address token = i < 2 ? address(honest[i]) : address(0);
            bool isSold = token == address(sold) && settled;
            vm.assertEq(has.taker[i] + (isSold ? params.amountIn : 0), had.taker[i], "taker paid");
            bool isBought = token == address(bought) && settled;
            vm.assertEq(has.recipient[i], had.recipient[i] + (isBought ? amountOut : 0), "recipient got");
            bool isSignedAway = token == order.buyerToken && order.buyer == maker && settled;
            uint256 most = isSignedAway ? order.buyerTokenAmount : 0;
            vm.assertGe(has.maker[i] + most, had.maker[i], "maker gave what it did not sign away");
            // The fee is in what is sold, and only the moody token has one here.
            vm.assertEq(has.widget[i], had.widget[i], "fee");
            vm.assertEq(has.bystander[i], had.bystander[i], "a bystander moved");
        }
        assertHoldsNothing();
        for (uint256 i; i < 2; ++i) {
            vm.assertEq(honest[i].allowance(address(router), address(executor)), 0, "allowance");
        }
        vm.assertEq(moody.allowance(address(router), address(executor)), 0, "allowance of the moody token");
    }

    /// @dev `mood` is the sixth slot of a MoodyToken.
    function setMood(uint256 mood) private {
        vm.store(address(moody), bytes32(uint256(5)), bytes32(mood));
    }

    function held(address holder) private view returns (uint256[3] memory) {
        return [weth.balanceOf(holder), usdc.balanceOf(holder), holder.balance];
    }

    /// @dev A token that keeps a hundredth of each move is refused at once, at the recipient's, or settles.
    function minimumOf(uint256 draw, uint256 fromPool) private pure returns (uint256) {
        return (fromPool * [uint256(1000), 985, 900][(draw >> 24) % 3]) / 1000;
    }

    function amountOf(uint256 draw, uint256 amount) private view returns (Token, uint256) {
        return draw % 2 == 0 ? (honest[0], bound(amount, 1e15, 1e18)) : (honest[1], bound(amount, 1e6, 3000e6));
    }
}

contract HostileInvariantTest is Campaign {
    HostileHandler private handler;

    function setUp() public {
        handler = new HostileHandler();
        handler.setUp();
        aim(address(handler), HostileHandler.buy.selector);
        aim(address(handler), HostileHandler.sell.selector);
        aim(address(handler), HostileHandler.pass.selector);
    }

    /// @dev The handler asserts the others after each swap.
    function invariant_nothingSettlesTwice() public view {
        vm.assertEq(handler.count("replayed"), 0, "a replay settled");
    }

    /// @dev A campaign in which nothing happens proves nothing.
    function test_everyMoodIsTried() public {
        play(500);
        for (uint256 mood; mood < 24; ++mood) {
            vm.assertGe(handler.tried(mood), 5, "a mood is hardly tried");
        }
        vm.assertGe(handler.count("settled"), 10, "settled");
        vm.assertGe(handler.count("settled in a mood"), 50, "settled in a mood");
        vm.assertGe(handler.count("refused in a mood"), 50, "refused in a mood");
        vm.assertEq(handler.count("refused"), 0, "a token in its best mood is refused");
        vm.assertEq(handler.count("replayed"), 0, "a replay settled");
    }
}
