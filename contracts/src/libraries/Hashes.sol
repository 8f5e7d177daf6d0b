// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ExactInputParams, Order, SignedOrder} from "../interfaces/ISwapRouter.sol";

/// @title EIP-712 hashes of orders and authorisations.
/// @dev To rebuild an authorisation off chain:
///      - `ordersHash` = keccak256 of the legs' order struct hashes, concatenated (EIP-712's form of `Order[]`);
///      - `signaturesHash` = keccak256 of keccak256(signature) of each leg, concatenated;
///      - `fallbackHash` = keccak256 of keccak256(entry) of each fallback entry, concatenated, so that no fallback
///        at all is keccak256 of no bytes.
///      The three values enter the typed data as plain `bytes32`.
library Hashes {
    bytes32 internal constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 internal constant ORDER_TYPEHASH = keccak256(
        "Order(uint256 id,address signer,address buyer,address seller,address buyerToken,address sellerToken,uint256 buyerTokenAmount,uint256 sellerTokenAmount,address caller,bytes16 quoteId,uint256 deadlineTimestamp)"
    );
    bytes32 internal constant AUTHORIZATION_TYPEHASH = keccak256(
        "SwapAuthorization(bytes32 ordersHash,bytes32 signaturesHash,bytes32 fallbackHash,address caller,address recipient,uint256 amountIn,uint256 amountOutMinimum,bool toWrap,bool toUnwrap,address feeSigner,address feeRecipient,uint256 feeRate)"
    );

    /// @notice The domain separator of `verifier` on the current chain.
    function domain(address verifier) internal view returns (bytes32) {
        return keccak256(
            abi.encode(DOMAIN_TYPEHASH, keccak256("Ballast SwapRouter"), keccak256("1"), block.chainid, verifier)
        );
    }

    /// @notice What is signed: a struct hash bound to its domain.
    function digest(bytes32 domainSeparator, bytes32 structHash) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked("\x19\x01", domainSeparator, structHash));
    }

    /// @notice The EIP-712 struct hash of an order. All fields are static, so its ABI encoding is its EIP-712 encoding.
    function order(Order memory order_) internal pure returns (bytes32) {
        return keccak256(abi.encode(ORDER_TYPEHASH, order_));
    }

    /// @notice The EIP-712 struct hash of the authorisation that lets `caller` settle `params`.
    /// @param legs `params.orders`, decoded.
    function authorization(ExactInputParams calldata params, SignedOrder[] memory legs, address caller)
        internal
        pure
        returns (bytes32)
    {
        // Two halves, because thirteen values are too many for the stack.
        bytes memory route = abi.encode(
            AUTHORIZATION_TYPEHASH, _orders(legs), _signatures(legs), _fallbacks(params.fallbackSwapDataArray), caller
        );
        bytes memory terms = abi.encode(
            params.recipient,
            params.amountIn,
            params.amountOutMinimum,
            params.toWrap,
            params.toUnwrap,
            params.widgetFee // signer, feeRecipient, feeRate
        );
        return keccak256(bytes.concat(route, terms));
    }

    function _orders(SignedOrder[] memory legs) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](legs.length);
        for (uint256 i; i < legs.length; ++i) {
            hashes[i] = order(legs[i].order);
        }
        return keccak256(abi.encodePacked(hashes));
    }

    function _signatures(SignedOrder[] memory legs) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](legs.length);
        for (uint256 i; i < legs.length; ++i) {
            hashes[i] = keccak256(legs[i].signature);
        }
        return keccak256(abi.encodePacked(hashes));
    }

    function _fallbacks(bytes[] calldata entries) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](entries.length);
        for (uint256 i; i < entries.length; ++i) {
            hashes[i] = keccak256(entries[i]);
        }
        return keccak256(abi.encodePacked(hashes));
    }
}
