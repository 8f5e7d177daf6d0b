// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Test} from "./Test.sol";

/// @dev Random actions of a handler: by forge, and the same number of them drawn here, which is the same for every seed.
abstract contract Campaign is Test {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    address private handler;
    bytes4[] private actions;

    function aim(address handler_, bytes4 action) internal {
        handler = handler_;
        actions.push(action);
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = handler;
    }

    function targetSelectors() public view returns (FuzzSelector[] memory targets) {
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(handler, actions);
    }

    /// @dev Every argument of an action is a word.
    function play(uint256 times) internal {
        for (uint256 i; i < times; ++i) {
            bytes4 action = actions[draw(i, 0) % actions.length];
            bytes memory arguments = abi.encode(draw(i, 1), draw(i, 2), draw(i, 3), draw(i, 4));
            (bool ok, bytes memory answer) = handler.call(bytes.concat(action, arguments));
            if (ok) continue;
            assembly ("memory-safe") {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }

    function draw(uint256 i, uint256 j) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(i, j)));
    }
}
