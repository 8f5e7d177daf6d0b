// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title How a contract says that it agrees with a signature.
interface IERC1271 {
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4);
}
