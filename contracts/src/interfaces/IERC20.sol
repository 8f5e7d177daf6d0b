// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The part of ERC-20 the router and the executor use.
interface IERC20 {
    function balanceOf(address holder) external view returns (uint256);

    function transfer(address to, uint256 amount) external returns (bool);

    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}
