// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Tokens} from "./Tokens.sol";

/// @notice The tokens of one route, each with the router's balance before the swap.
struct Ledger {
    address[] tokens;
    uint256[] balancesBefore;
    uint256 count;
}

/// @title What the router holds on behalf of the current call.
/// @dev Custody is always measured as the gain over the balance before the swap, never computed from what somebody
///      promised to send, and never includes what lay in the router before.
library Custody {
    using Tokens for address;

    /// @notice A ledger with room for the input and one bought token per leg.
    function open(uint256 legs) internal pure returns (Ledger memory ledger) {
        ledger.tokens = new address[](legs + 1);
        ledger.balancesBefore = new uint256[](legs + 1);
    }

    /// @notice Starts to measure `token`, unless it is measured already.
    function track(Ledger memory ledger, address token) internal view {
        if (tracks(ledger, token)) return;
        ledger.tokens[ledger.count] = token;
        ledger.balancesBefore[ledger.count] = token.balanceOf(address(this));
        ++ledger.count;
    }

    /// @notice True when `token` is part of the route so far.
    function tracks(Ledger memory ledger, address token) internal pure returns (bool) {
        for (uint256 i; i < ledger.count; ++i) {
            if (ledger.tokens[i] == token) return true;
        }
        return false;
    }

    /// @notice How much of the tracked `token` is in custody.
    function held(Ledger memory ledger, address token) internal view returns (uint256) {
        uint256 i;
        while (ledger.tokens[i] != token) ++i; // beyond the end it panics; callers ask only for tracked tokens
        return heldAt(ledger, i);
    }

    /// @notice How much of the token at `index` is in custody.
    function heldAt(Ledger memory ledger, uint256 index) internal view returns (uint256) {
        return ledger.tokens[index].balanceOf(address(this)) - ledger.balancesBefore[index];
    }
}
