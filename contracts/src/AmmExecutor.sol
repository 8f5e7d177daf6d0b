// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAmmExecutor} from "./interfaces/IAmmExecutor.sol";
import {IUniswapV2Factory, IUniswapV2Pair, IUniswapV3Factory, IUniswapV3Pool} from "./interfaces/IUniswap.sol";
import {Tokens} from "./libraries/Tokens.sol";

/// @title Swaps on pools that a known factory made, for the router only.
/// @notice Do not approve this contract. It needs no allowance, holds nothing between calls and cannot pull tokens.
/// @dev Kept apart from the router because the router has allowances: whatever a pool or its tokens do while a swap
///      runs, they do it to a contract that owns nothing.
contract AmmExecutor is IAmmExecutor {
    using Tokens for address;

    uint8 private constant UNISWAP_V2 = 2;
    uint8 private constant UNISWAP_V3 = 3;
    uint24 private constant UNISWAP_V2_FEE = 3000;

    /// @dev The ends of v3's price range, one step inside: no price limit. `amountOutMinimum` is the limit.
    uint160 private constant LOWEST_SQRT_PRICE = 4295128740;
    uint160 private constant HIGHEST_SQRT_PRICE = 1461446703485210103287273052203988822378723970341;

    address public immutable router;
    /// @notice Zero where the chain has no Uniswap v2.
    address public immutable v2Factory;
    /// @notice Zero where the chain has no Uniswap v3.
    address public immutable v3Factory;

    /// @dev The pool whose callback is expected, and the token it will ask for. Zero outside a v3 swap.
    address private transient _expectedPool;
    address private transient _owedToken;

    /// @dev The router creates its executor, so the two know each other from the first block.
    constructor(address v2Factory_, address v3Factory_) {
        router = msg.sender;
        v2Factory = v2Factory_;
        v3Factory = v3Factory_;
    }

    /// @inheritdoc IAmmExecutor
    function swap(uint8 kind, uint24 fee, address tokenIn, address tokenOut, uint256 amountIn) external {
        if (msg.sender != router) revert OnlyRouter();
        if (kind == UNISWAP_V2) _swapV2(fee, tokenIn, tokenOut, amountIn);
        else if (kind == UNISWAP_V3) _swapV3(fee, tokenIn, tokenOut, amountIn);
        else revert UnknownKind(kind);
    }

    /// @notice Pays a v3 pool during the swap that `swap` started.
    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata) external {
        if (msg.sender != _expectedPool) revert NotThePool(msg.sender);
        int256 owed = amount0Delta > 0 ? amount0Delta : amount1Delta;
        _owedToken.send(msg.sender, uint256(owed));
    }

    function _swapV2(uint24 fee, address tokenIn, address tokenOut, uint256 amountIn) private {
        if (fee != UNISWAP_V2_FEE) revert UnknownFee(fee);
        if (v2Factory == address(0)) revert UnknownKind(UNISWAP_V2);
        address pair = IUniswapV2Factory(v2Factory).getPair(tokenIn, tokenOut);
        if (pair == address(0)) revert PoolNotFound(tokenIn, tokenOut, fee);

        bool zeroForOne = tokenIn < tokenOut;
        (uint256 reserve0, uint256 reserve1,) = IUniswapV2Pair(pair).getReserves();
        (uint256 reserveIn, uint256 reserveOut) = zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        // Rounds down, for the pool. If the token takes a fee the pair misses some input and refuses.
        uint256 inputWithFee = amountIn * 997;
        uint256 amountOut = (inputWithFee * reserveOut) / (reserveIn * 1000 + inputWithFee);

        tokenIn.send(pair, amountIn);
        (uint256 amount0Out, uint256 amount1Out) = zeroForOne ? (uint256(0), amountOut) : (amountOut, uint256(0));
        IUniswapV2Pair(pair).swap(amount0Out, amount1Out, router, "");
    }

    function _swapV3(uint24 fee, address tokenIn, address tokenOut, uint256 amountIn) private {
        if (v3Factory == address(0)) revert UnknownKind(UNISWAP_V3);
        address pool = IUniswapV3Factory(v3Factory).getPool(tokenIn, tokenOut, fee);
        if (pool == address(0)) revert PoolNotFound(tokenIn, tokenOut, fee);

        bool zeroForOne = tokenIn < tokenOut;
        _expectedPool = pool;
        _owedToken = tokenIn;
        (int256 amount0, int256 amount1) = IUniswapV3Pool(pool)
            .swap(router, zeroForOne, int256(amountIn), zeroForOne ? LOWEST_SQRT_PRICE : HIGHEST_SQRT_PRICE, "");
        _expectedPool = address(0);

        // A pool that runs out of liquidity takes less than it was offered; the rest would stay here.
        // This also refuses an amount so large that the cast above made it negative.
        if (uint256(zeroForOne ? amount0 : amount1) != amountIn) revert PoolExhausted(pool);
    }
}
