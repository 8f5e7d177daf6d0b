// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "./interfaces/IERC1271.sol";
import {Signatures} from "./libraries/Signatures.sol";

/// @notice One call to play.
struct Step {
    address to;
    uint256 value;
    uint256 gasLimit;
    bytes data;
}

/// @notice How a call ended.
struct StepResult {
    bool success;
    uint256 gasUsed;
    bytes data;
}

/// @dev Arbitrum's own word on its blocks.
interface IArbSys {
    function arbBlockNumber() external view returns (uint256);
    function arbBlockHash(uint256 number) external view returns (bytes32);
}

/// @title Plays calls one after another as the account it stands at, and tells how each of them ended.
/// @notice Never deployed. Its code is put at the wallet's address for the length of one `eth_call`, where a node has no
///         way of its own to play several calls that see each other's effects.
contract ScenarioProbe is IERC1271 {
    /// @notice More of an answer than this is cut: it may be as long as its gas allows.
    uint256 public constant MAX_ANSWER = 4096;

    /// @dev On Arbitrum `NUMBER` is the block of the L1. Where this has code, it tells the chain's own.
    IArbSys private constant ARB_SYS = IArbSys(address(0x64));

    /// @notice The call was given too little gas for the step to get what it asks for.
    error GasTooLow(uint256 step);

    /// @dev The wallet can be paid, as it could without this code.
    receive() external payable {}

    /// @notice The wallet's key signs for it, as it does without this code: what meets code at an owner's address, as Permit2
    ///         does, asks here and does not recover the signer itself.
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        bool isOwn = Signatures.isSignedByKey(address(this), digest, signature);
        return isOwn ? IERC1271.isValidSignature.selector : bytes4(0);
    }

    /// @return number The block this is played in.
    /// @return parentHash The hash of the block before it.
    function play(Step[] calldata steps)
        external
        returns (uint256 number, bytes32 parentHash, StepResult[] memory results)
    {
        if (address(ARB_SYS).code.length == 0) {
            number = block.number;
            parentHash = blockhash(number - 1);
        } else {
            number = ARB_SYS.arbBlockNumber();
            parentHash = ARB_SYS.arbBlockHash(number - 1);
        }
        results = new StepResult[](steps.length);
        for (uint256 i; i < steps.length; ++i) {
            // A call passes on at most 63/64 of what is left; with less the step would fail for our reasons.
            if ((gasleft() * 63) / 64 < steps[i].gasLimit + 50_000) revert GasTooLow(i);
            results[i] = _play(steps[i]);
        }
    }

    function _play(Step calldata step) private returns (StepResult memory result) {
        bytes memory input = step.data;
        address to = step.to;
        uint256 value = step.value;
        uint256 gasLimit = step.gasLimit;
        bytes memory answer = new bytes(MAX_ANSWER);
        uint256 before = gasleft();
        bool success;
        assembly ("memory-safe") {
            success := call(gasLimit, to, value, add(input, 0x20), mload(input), 0, 0)
        }
        result.gasUsed = before - gasleft();
        result.success = success;
        assembly ("memory-safe") {
            let size := returndatasize()
            if gt(size, MAX_ANSWER) { size := MAX_ANSWER }
            returndatacopy(add(answer, 0x20), 0, size)
            mstore(answer, size)
        }
        result.data = answer;
    }
}
