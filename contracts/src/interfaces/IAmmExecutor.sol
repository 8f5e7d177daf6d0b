// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Runs AMM legs for the router.
interface IAmmExecutor {
    error OnlyRouter();
    error UnknownKind(uint8 kind);
    error UnknownFee(uint24 fee);
    error PoolNotFound(address tokenIn, address tokenOut, uint24 fee);
    error PoolExhausted(address pool);
    error NotThePool(address caller);

    /// @notice Sells all of `amountIn`, which the router sent before the call, and pays the router.
    /// @param kind 2 for Uniswap v2, 3 for Uniswap v3.
    /// @param fee Hundredths of a basis point: 3000 for v2, the pool's own for v3.
    function swap(uint8 kind, uint24 fee, address tokenIn, address tokenOut, uint256 amountIn) external;
}
