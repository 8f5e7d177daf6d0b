// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "./Token.sol";

/// @title Refuses to move to or from addresses on a list, as USDC and USDT can.
contract BlocklistToken is Token {
    mapping(address holder => bool) public blocked;

    error Blocked(address holder);

    constructor(string memory name_, string memory symbol_, uint8 decimals_) Token(name_, symbol_, decimals_) {}

    function setBlocked(address holder, bool isBlocked) external {
        if (msg.sender != minter) revert OnlyMinter();
        blocked[holder] = isBlocked;
    }

    function _move(address from, address to, uint256 amount) internal override {
        if (blocked[from]) revert Blocked(from);
        if (blocked[to]) revert Blocked(to);
        super._move(from, to, amount);
    }
}
