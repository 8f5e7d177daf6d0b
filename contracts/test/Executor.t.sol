// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ExactInputParams, ISwapRouter} from "../src/interfaces/ISwapRouter.sol";
import {IAmmExecutor} from "../src/interfaces/IAmmExecutor.sol";
import {ReentrantToken} from "../src/tokens/ReentrantToken.sol";
import {Token} from "../src/tokens/Token.sol";
import {Fixture} from "./support/Fixture.sol";
import {Puppet} from "./support/Helpers.sol";
import {V3Pool} from "./support/Uniswap.sol";

/// @dev The executor serves the router, pays verified pools, and nobody else.
contract ExecutorTest is Fixture {
    function test_swap_isForTheRouterOnly() public {
        give(weth, address(executor), 1e18);
        vm.prank(taker);
        vm.expectRevert(IAmmExecutor.OnlyRouter.selector);
        executor.swap(2, 3000, address(weth), address(usdc), 1e18);
        vm.assertEq(executor.router(), address(router), "its router");
    }

    function test_callback_isRefusedOutsideASwap() public {
        give(weth, address(executor), 1e18);
        vm.prank(taker);
        vm.expectRevert(abi.encodeWithSelector(IAmmExecutor.NotThePool.selector, taker));
        executor.uniswapV3SwapCallback(1e18, -1, "");
    }

    function test_callback_isRefusedToThePoolAfterItsSwap() public {
        settle(ammQuote(weth, 1e18, usdc, v3(500)));
        address pool = v3Factory.getPool(address(weth), address(usdc), 500);
        give(weth, address(executor), 1e18);
        vm.prank(pool);
        vm.expectRevert(abi.encodeWithSelector(IAmmExecutor.NotThePool.selector, pool));
        executor.uniswapV3SwapCallback(1e18, -1, "");
    }

    function test_callback_isRefusedToAnybodyElseDuringASwap() public {
        // The bought token calls a thief while the pool's callback is open and the executor still has the input.
        ReentrantToken token = new ReentrantToken("Hook", "HOOK", 18);
        Puppet thief = new Puppet();
        addV3(weth, 1000e18, token, 1000e18, 3000, 887220);
        bytes memory steal = abi.encodeCall(executor.uniswapV3SwapCallback, (1e18, -1, ""));
        token.setHook(address(thief), abi.encodeCall(thief.act, (address(executor), steal)), true);

        settle(ammQuote(weth, 1e18, token, v3(3000)));
        vm.assertEq(thief.calls(), 2, "the thief had its chances: the pool's payment and the router's");
        vm.assertEq(weth.balanceOf(address(thief)), 0, "and got nothing");
        vm.assertFalse(thief.lastOk(), "refused");
        assertHoldsNothing();
    }

    function test_pool_mustComeFromTheFactory() public {
        Token token = new Token("No pool", "NOP", 18);
        refused(ammQuote(weth, 1e18, token, v2()), notFound(address(token), 3000));
        refused(ammQuote(weth, 1e18, token, v3(500)), notFound(address(token), 500));
        refused(ammQuote(weth, 1e18, usdc, v3(10000)), notFound(address(usdc), 10000));
    }

    function test_kind_mustBeKnown() public {
        refused(ammQuote(weth, 1e18, usdc, abi.encode(uint8(1), uint24(3000))), unknownKind(1));
        refused(ammQuote(weth, 1e18, usdc, abi.encode(uint8(4), uint24(500))), unknownKind(4));
        // Values beyond their types are refused by the decoder.
        refused(ammQuote(weth, 1e18, usdc, abi.encode(uint256(256 + 2), uint256(3000))), "");
    }

    function test_v2_hasOneFee() public {
        ExactInputParams memory params = ammQuote(weth, 1e18, usdc, abi.encode(uint8(2), uint24(500)));
        refused(params, abi.encodeWithSelector(IAmmExecutor.UnknownFee.selector, uint24(500)));
    }

    function test_factory_mayBeAbsent() public {
        router = deployRouter(address(0), address(0));
        executor = router.executor();
        vm.prank(taker);
        weth.approve(address(router), type(uint256).max);
        refused(ammQuote(weth, 1e18, usdc, v2()), unknownKind(2));
        refused(ammQuote(weth, 1e18, usdc, v3(500)), unknownKind(3));
    }

    function test_v3_poolThatRunsDryIsRefused() public {
        Token token = new Token("Shallow", "SHL", 18);
        // Liquidity only within about 1 % of the price: one WETH is far too much.
        address pool = v3Factory.createPool(address(weth), address(token), 500);
        V3Pool(pool).initialize(uint160(1 << 96));
        shallow = token;
        V3Pool(pool).mint(address(this), -100, 100, 1e18, "");
        ExactInputParams memory params = ammQuote(weth, 1e18, token, v3(500));
        params.amountOutMinimum = 1;
        authorize(params);
        refused(params, abi.encodeWithSelector(IAmmExecutor.PoolExhausted.selector, pool));
    }

    /// @dev So little that nothing is bought: the other amount of the callback is zero, in both directions.
    function test_v3_isPaidForASwapThatBuysNothing() public {
        Token[2] memory sold = [Token(address(weth)), usdc];
        for (uint256 i; i < 2; ++i) {
            give(sold[i], address(executor), 1);
            vm.prank(address(router));
            executor.swap(3, 500, address(sold[i]), address(sold[1 - i]), 1);
            vm.assertEq(sold[i].balanceOf(address(executor)), 0, "the pool was paid");
        }
    }

    function test_code_cannotPullTokens() public view {
        bytes memory code = address(executor).code;
        bytes4 transferFrom = Token.transferFrom.selector;
        for (uint256 i; i + 4 <= code.length; ++i) {
            bool same = code[i] == transferFrom[0] && code[i + 1] == transferFrom[1] && code[i + 2] == transferFrom[2]
                && code[i + 3] == transferFrom[3];
            vm.assertFalse(same, "the executor knows transferFrom");
        }
    }

    Token private shallow;

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) public override {
        if (address(shallow) == address(0)) return super.uniswapV3MintCallback(amount0, amount1, data);
        bool inOrder = address(weth) < address(shallow);
        give(weth, msg.sender, inOrder ? amount0 : amount1);
        give(shallow, msg.sender, inOrder ? amount1 : amount0);
    }

    function ammQuote(Token sold, uint256 amount, Token bought, bytes memory entry)
        private
        returns (ExactInputParams memory params)
    {
        params = quote(list(ammLeg(sold, amount, bought, 1)), amount, 1);
        params.fallbackSwapDataArray = entries(entry);
        authorize(params);
    }

    function refused(ExactInputParams memory params, bytes memory reason) private {
        if (reason.length > 0) return settleRefused(params, reason);
        vm.prank(taker);
        vm.expectRevert();
        router.exactInput(params);
    }

    function notFound(address token, uint24 fee) private view returns (bytes memory) {
        return abi.encodeWithSelector(IAmmExecutor.PoolNotFound.selector, address(weth), token, fee);
    }

    function unknownKind(uint8 kind) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IAmmExecutor.UnknownKind.selector, kind);
    }
}
