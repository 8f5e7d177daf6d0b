// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "./Token.sol";

/// @title The native coin as an ERC-20, one for one.
contract WrappedNative is Token {
    event Deposit(address indexed holder, uint256 amount);
    event Withdrawal(address indexed holder, uint256 amount);

    error PaymentFailed();

    constructor(string memory name_, string memory symbol_) Token(name_, symbol_, 18) {}

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        _mint(msg.sender, msg.value);
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 amount) external {
        _burn(msg.sender, amount);
        emit Withdrawal(msg.sender, amount);
        (bool ok,) = msg.sender.call{value: amount}("");
        if (!ok) revert PaymentFailed();
    }
}
