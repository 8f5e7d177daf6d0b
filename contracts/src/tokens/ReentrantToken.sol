// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "./Token.sol";

/// @title Calls a chosen target in every transfer, as an ERC-777 hook could.
contract ReentrantToken is Token {
    address public hookTarget;
    bytes public hookData;
    /// @notice When true a failing hook fails the transfer; when false the transfer carries on.
    bool public hookMustSucceed;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) Token(name_, symbol_, decimals_) {}

    /// @notice Sets what to call after each move; the zero target calls nothing.
    function setHook(address target, bytes calldata data, bool mustSucceed) external {
        if (msg.sender != minter) revert OnlyMinter();
        hookTarget = target;
        hookData = data;
        hookMustSucceed = mustSucceed;
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount);
        if (hookTarget == address(0)) return;
        (bool ok, bytes memory answer) = hookTarget.call(hookData);
        if (ok || !hookMustSucceed) return;
        assembly ("memory-safe") {
            revert(add(answer, 0x20), mload(answer))
        }
    }
}
