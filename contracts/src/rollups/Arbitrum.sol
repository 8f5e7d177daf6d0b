// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Knows the block that a call is played in by the chain's own number: `NUMBER` is the L1's on Arbitrum.
/// @notice For tests, at the address of Arbitrum's own. A test writes the number and the hash of its parent.
contract ArbSys {
    uint256 public arbBlockNumber;
    bytes32 private _parentHash;

    error InvalidBlockNumber(uint256 requested, uint256 current);

    function arbBlockHash(uint256 number) external view returns (bytes32) {
        if (number + 1 != arbBlockNumber) revert InvalidBlockNumber(number, arbBlockNumber);
        return _parentHash;
    }
}

/// @title Tells the gas that a transaction's bytes cost, as Arbitrum's node does. For tests, at its address.
contract NodeInterface {
    /// @notice A test writes slot 0.
    uint256 public gasPerByte;

    /// @dev Bytes of a transaction around its call data.
    uint256 private constant AROUND = 140;

    function gasEstimateL1Component(address, bool, bytes calldata data)
        external
        payable
        returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)
    {
        return (uint64((data.length + AROUND) * gasPerByte), block.basefee, 0);
    }
}
