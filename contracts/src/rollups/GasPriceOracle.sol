// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Prices the bytes of a transaction as the oracle of the OP stack did from Ecotone to Fjord, and operators as
///        since Isthmus. For tests, at the address of that oracle.
/// @notice Fjord counts compressed bytes in the place of zero and other bytes; whoever asks sees a fee of bytes either way.
contract GasPriceOracle {
    /// @notice Wei per gas of the L1, and of its blobs. A test writes slots 0 and 1.
    uint256 public l1BaseFee;
    uint256 public blobBaseFee;
    /// @notice Of slots 2 and 3: wei per million gas, and wei per transaction.
    uint256 public operatorFeeScalar;
    uint256 public operatorFeeConstant;

    uint256 public constant BASE_FEE_SCALAR = 1_368;
    uint256 public constant BLOB_BASE_FEE_SCALAR = 810_949;

    /// @dev Bytes that a signature adds to the unsigned ones.
    uint256 private constant SIGNATURE = 68;

    function getL1Fee(bytes calldata unsigned) external view returns (uint256) {
        uint256 gas_ = SIGNATURE * 16;
        for (uint256 i; i < unsigned.length; ++i) {
            gas_ += unsigned[i] == 0 ? 4 : 16;
        }
        uint256 price = 16 * BASE_FEE_SCALAR * l1BaseFee + BLOB_BASE_FEE_SCALAR * blobBaseFee;
        return (gas_ * price) / 16e6;
    }

    function getOperatorFee(uint256 gasUsed) external view returns (uint256) {
        return (gasUsed * operatorFeeScalar) / 1e6 + operatorFeeConstant;
    }
}
