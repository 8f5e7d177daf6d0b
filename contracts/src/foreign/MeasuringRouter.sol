// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "../interfaces/IERC20.sol";

/// @title A router of somebody else's, for tests: pays for what arrived, and never asks whether that was the amount.
contract MeasuringRouter {
    error Late();
    error TooLittle(uint256 paid, uint256 minimum);

    /// @notice Sells `amount` for `out`, or for as much of it as arrived of the amount.
    function swap(IERC20 sold, uint256 amount, IERC20 bought, uint256 out, uint256 minimum, uint256 deadline) external {
        if (block.timestamp > deadline) revert Late();
        uint256 before = sold.balanceOf(address(this));
        sold.transferFrom(msg.sender, address(this), amount);
        uint256 paid = (out * (sold.balanceOf(address(this)) - before)) / amount;
        if (paid < minimum) revert TooLittle(paid, minimum);
        bought.transfer(msg.sender, paid);
    }
}
