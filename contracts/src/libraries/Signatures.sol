// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "../interfaces/IERC1271.sol";

/// @title Signatures of keys and of contracts.
library Signatures {
    /// @dev Half of the curve order. Above it, anyone could derive a second valid form of a signature.
    uint256 private constant MAX_S = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    /// @notice True when `signer`'s key signed `digest`. Only the 65 byte form with a low `s` is accepted.
    function isSignedByKey(address signer, bytes32 digest, bytes memory signature) internal pure returns (bool) {
        if (signature.length != 65) return false;
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly ("memory-safe") {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
            v := byte(0, mload(add(signature, 0x60)))
        }
        if (uint256(s) > MAX_S) return false;
        // A malformed signature recovers to zero, which must not match a zero signer.
        address recovered = ecrecover(digest, v, r, s);
        return recovered != address(0) && recovered == signer;
    }

    /// @notice As `isSignedByKey`, or `signer` is a contract that agrees through ERC-1271.
    /// @dev The key is asked first because an account with delegated code (EIP-7702) still signs with its key.
    function isSigned(address signer, bytes32 digest, bytes memory signature) internal view returns (bool) {
        if (isSignedByKey(signer, digest, signature)) return true;
        if (signer.code.length == 0) return false;
        return IERC1271(signer).isValidSignature(digest, signature) == IERC1271.isValidSignature.selector;
    }
}
