// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Tokens} from "./libraries/Tokens.sol";

/// @title The lock and the few levers an owner has: pause, the fee signer, and tokens sent here by mistake.
/// @dev None of them reaches a user's funds: between calls the router holds nothing, and an allowance is only used
///      for the address that calls or for a maker who signed.
abstract contract RouterAdmin {
    using Tokens for address;

    /// @notice How long a replaced fee signer may stay valid, so that quotes already given out still settle.
    uint256 public constant MAX_SIGNER_OVERLAP = 15 minutes;

    /// @notice Holds the levers below.
    address public owner;
    /// @notice Named by the owner, becomes owner when it accepts: a typing error cannot give the router away.
    address public pendingOwner;
    /// @notice The service key that authorises swaps.
    address public feeSigner;
    /// @notice Stops `exactInput` only; makers can still cancel.
    bool public paused;
    /// @notice The key `feeSigner` replaced.
    address public previousFeeSigner;
    /// @notice The previous fee signer is valid before this time.
    uint64 public previousFeeSignerUntil;

    bool private transient _entered;

    /// @notice The owner named its successor, or nobody when it withdrew.
    event OwnershipOffered(address indexed owner, address indexed pendingOwner);
    /// @notice The router has a new owner.
    event OwnershipTransferred(address indexed previousOwner, address indexed owner);
    /// @notice `current` authorises swaps from now on, `previous` only before `previousUntil`.
    event FeeSignerRotated(address indexed previous, address indexed current, uint256 previousUntil);
    /// @notice New swaps are refused.
    event Paused();
    /// @notice New swaps are accepted again.
    event Unpaused();
    /// @notice The owner sent on what was sent here by mistake; the zero token is the native coin.
    event Rescued(address indexed token, address indexed to, uint256 amount);

    /// @notice A swap is under way.
    error Locked();
    /// @notice The caller is not the owner.
    error OnlyOwner();
    /// @notice The caller was not named by the owner.
    error OnlyPendingOwner();
    /// @notice A key is missing.
    error ZeroAddress();
    /// @notice A replaced fee signer may stay for `MAX_SIGNER_OVERLAP` at most.
    error OverlapTooLong(uint256 overlapSeconds);

    /// @dev On every function that changes state, so that no token and no recipient can call back in.
    modifier lock() {
        if (_entered) revert Locked();
        _entered = true;
        _;
        _entered = false;
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert OnlyOwner();
        _;
    }

    constructor(address owner_, address feeSigner_) {
        if (owner_ == address(0) || feeSigner_ == address(0)) revert ZeroAddress();
        owner = owner_;
        feeSigner = feeSigner_;
        emit OwnershipTransferred(address(0), owner_);
        emit FeeSignerRotated(address(0), feeSigner_, 0);
    }

    /// @notice Offers the router to `next`; nothing changes until it accepts. Zero withdraws the offer.
    function offerOwnership(address next) external onlyOwner lock {
        pendingOwner = next;
        emit OwnershipOffered(owner, next);
    }

    /// @notice Takes the router over.
    function acceptOwnership() external lock {
        if (msg.sender != pendingOwner) revert OnlyPendingOwner();
        emit OwnershipTransferred(owner, msg.sender);
        owner = msg.sender;
        pendingOwner = address(0);
    }

    /// @notice Replaces the fee signer. The old one stays valid for `overlapSeconds`; zero when its key has leaked.
    function rotateFeeSigner(address next, uint256 overlapSeconds) external onlyOwner lock {
        if (next == address(0)) revert ZeroAddress();
        if (overlapSeconds > MAX_SIGNER_OVERLAP) revert OverlapTooLong(overlapSeconds);
        address previous = feeSigner;
        uint256 until = block.timestamp + overlapSeconds;
        previousFeeSigner = previous;
        previousFeeSignerUntil = uint64(until);
        feeSigner = next;
        emit FeeSignerRotated(previous, next, until);
    }

    /// @notice Stops new swaps. To retire the router, pause it for ever and publish a list of allowances to revoke.
    function pause() external onlyOwner lock {
        paused = true;
        emit Paused();
    }

    /// @notice Lets swaps in again.
    function unpause() external onlyOwner lock {
        paused = false;
        emit Unpaused();
    }

    /// @notice Sends on what somebody sent here by mistake; the zero address means the native coin.
    /// @dev Safe because the router holds nothing between calls, and within a call the lock refuses it.
    function rescue(address token, address to, uint256 amount) external onlyOwner lock {
        if (token == address(0)) Tokens.sendNative(to, amount);
        else token.send(to, amount);
        emit Rescued(token, to, amount);
    }

    /// @notice True while `signer` may authorise swaps.
    function isFeeSigner(address signer) public view returns (bool) {
        if (signer == feeSigner) return true;
        return signer == previousFeeSigner && block.timestamp < previousFeeSignerUntil;
    }
}
