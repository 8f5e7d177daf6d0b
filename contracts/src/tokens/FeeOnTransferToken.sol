// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "./Token.sol";

/// @title Burns 1 % of every transfer, so less arrives than was sent.
contract FeeOnTransferToken is Token {
    constructor(string memory name_, string memory symbol_, uint8 decimals_) Token(name_, symbol_, decimals_) {}

    function _move(address from, address to, uint256 amount) internal override {
        uint256 fee = amount / 100;
        super._move(from, to, amount - fee);
        _burn(from, fee);
    }
}
