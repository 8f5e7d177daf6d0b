// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The part of EIP-2612 that the router uses.
interface IERC20Permit {
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;
}
