// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev The cheatcodes these tests use; forge answers them at this address.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function addr(uint256 key) external pure returns (address);
    function assertEq(uint256 left, uint256 right, string calldata what) external pure;
    function assertEq(address left, address right, string calldata what) external pure;
    function assertEq(bytes32 left, bytes32 right, string calldata what) external pure;
    function assertEq(bytes calldata left, bytes calldata right, string calldata what) external pure;
    function assertTrue(bool condition, string calldata what) external pure;
    function assertFalse(bool condition, string calldata what) external pure;
    function assertLe(uint256 left, uint256 right, string calldata what) external pure;
    function assertGe(uint256 left, uint256 right, string calldata what) external pure;
    function assume(bool condition) external pure;
    function chainId(uint256 id) external;
    function deal(address to, uint256 amount) external;
    function deployCode(string calldata artifact, bytes calldata arguments) external returns (address);
    function etch(address to, bytes calldata code) external;
    function expectEmit(address emitter) external;
    function expectRevert() external;
    function expectRevert(bytes calldata data) external;
    function expectRevert(bytes4 selector) external;
    function expectPartialRevert(bytes4 selector) external;
    function getRecordedLogs() external returns (Log[] memory);
    function label(address what, string calldata name) external;
    function parseBytes(string calldata text) external pure returns (bytes memory);
    function parseJsonString(string calldata json, string calldata path) external pure returns (string memory);
    function prank(address sender) external;
    function readFile(string calldata path) external view returns (string memory);
    function recordLogs() external;
    function snapshotGasLastCall(string calldata group, string calldata name) external returns (uint256);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function snapshotState() external returns (uint256);
    function revertToState(uint256 id) external returns (bool);
    function startPrank(address sender) external;
    function stopPrank() external;
    function store(address where, bytes32 slot, bytes32 value) external;
    function warp(uint256 time) external;
}

abstract contract Test {
    bool public constant IS_TEST = true;
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    /// @dev Brings a random value between two bounds, both included.
    function bound(uint256 value, uint256 low, uint256 high) internal pure returns (uint256) {
        return low + (value % (high - low + 1));
    }
}
