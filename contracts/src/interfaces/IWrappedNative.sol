// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "./IERC20.sol";

/// @title The ERC-20 form of the chain's native coin.
interface IWrappedNative is IERC20 {
    function deposit() external payable;

    function withdraw(uint256 amount) external;
}
