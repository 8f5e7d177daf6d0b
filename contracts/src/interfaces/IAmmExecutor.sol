// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Runs AMM legs for the router.
interface IAmmExecutor {
    /// @notice Only the router may swap.
    error OnlyRouter();
    /// @notice There is no such kind of pool here.
    error UnknownKind(uint8 kind);
    /// @notice Uniswap v2 has one fee.
    error UnknownFee(uint24 fee);
    /// @notice The factory knows no such pool.
    error PoolNotFound(address tokenIn, address tokenOut, uint24 fee);
    /// @notice The pool has too little liquidity for the whole amount.
    error PoolExhausted(address pool);
    /// @notice The callback came from somebody else than the pool being swapped on.
    error NotThePool(address caller);

    /// @notice Sells all of `amountIn`, which the router sent before the call, and pays the router.
    /// @param kind 2 for Uniswap v2, 3 for Uniswap v3.
    /// @param fee Hundredths of a basis point: 3000 for v2, the pool's own for v3.
    function swap(uint8 kind, uint24 fee, address tokenIn, address tokenOut, uint256 amountIn) external;
}
