// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "../interfaces/IERC20.sol";
import {IERC20Permit} from "../interfaces/IERC20Permit.sol";
import {IPermit2} from "../interfaces/IPermit2.sol";
import {ISwapRouter, Permit, Permit2Transfer} from "../interfaces/ISwapRouter.sol";

/// @title Token movements that do not believe the token.
/// @dev A transfer counts as done when the call succeeded and returned true or, as USDT does, nothing at all.
///      The exact forms also compare the receiver's balance, so a fee on transfer is refused, never absorbed.
library Tokens {
    /// @dev Permit2 is here on every chain that has it. An address that follows from code alone can hold no other.
    IPermit2 private constant PERMIT2 = IPermit2(0x000000000022D473030F116dDEE9F6B43aC78BA3);

    /// @dev What an owner signs beside token, amount, spender, nonce and deadline.
    string private constant WITNESS = "bytes32 authorization)TokenPermissions(address token,uint256 amount)";

    /// @notice The token refused, said false, or is no contract.
    error TransferFailed(address token);
    /// @notice The token delivered another amount than it was told.
    error InexactTransfer(address token, uint256 expected, uint256 received);
    /// @notice The receiver refused the native coin.
    error NativeTransferFailed(address to);

    /// @notice The balance of `holder`; reverts when `token` has no code.
    function balanceOf(address token, address holder) internal view returns (uint256) {
        return IERC20(token).balanceOf(holder);
    }

    /// @notice Sends from this contract.
    function send(address token, address to, uint256 amount) internal {
        _call(token, abi.encodeCall(IERC20.transfer, (to, amount)));
    }

    /// @notice Sends from this contract and requires that exactly `amount` arrives.
    function sendExact(address token, address to, uint256 amount) internal {
        uint256 before = balanceOf(token, to);
        send(token, to, amount);
        _requireGain(token, before, balanceOf(token, to), amount);
    }

    /// @notice Pulls to this contract and requires that exactly `amount` arrives.
    function pullExact(address token, address from, uint256 amount) internal {
        uint256 before = balanceOf(token, address(this));
        _call(token, abi.encodeCall(IERC20.transferFrom, (from, address(this), amount)));
        _requireGain(token, before, balanceOf(token, address(this)), amount);
    }

    /// @notice The same through Permit2, by the owner's signature over this transfer and over `authorization`.
    /// @dev Permit2 says why it refuses. What it says of the transfer is not believed: what arrived is measured here.
    function pullPermitted(
        address token,
        address owner,
        uint256 amount,
        Permit2Transfer calldata permit,
        bytes32 authorization
    ) internal {
        if (address(PERMIT2).code.length == 0) revert ISwapRouter.NoPermit2();
        uint256 before = balanceOf(token, address(this));
        PERMIT2.permitWitnessTransferFrom(
            IPermit2.PermitTransferFrom(IPermit2.TokenPermissions(token, amount), permit.nonce, permit.deadline),
            IPermit2.SignatureTransferDetails(address(this), amount),
            owner,
            authorization,
            WITNESS,
            permit.signature
        );
        _requireGain(token, before, balanceOf(token, address(this)), amount);
    }

    /// @notice Gives the token its owner's permit for this contract. Whether it took it, the allowance shows.
    /// @dev The answer is neither believed nor copied: a permit that was used before reverts here and is as good, and one
    ///      that succeeds proves nothing, since a contract with a fallback takes any call.
    function tryPermit(address token, address owner, uint256 amount, Permit calldata permit) internal {
        bytes memory data = abi.encodeCall(
            IERC20Permit.permit, (owner, address(this), amount, permit.deadline, permit.v, permit.r, permit.s)
        );
        assembly ("memory-safe") {
            pop(call(gas(), token, 0, add(data, 32), mload(data), 0, 0))
        }
    }

    /// @notice Sends the native coin, with all gas: the receiver may be a Safe.
    function sendNative(address to, uint256 amount) internal {
        (bool ok,) = to.call{value: amount}("");
        if (!ok) revert NativeTransferFailed(to);
    }

    function _call(address token, bytes memory data) private {
        (bool ok, bytes memory answer) = token.call(data);
        if (!ok) revert TransferFailed(token);
        // A call to an address without code succeeds and says nothing, which would look like USDT.
        bool done = answer.length == 0 ? token.code.length > 0 : abi.decode(answer, (bool));
        if (!done) revert TransferFailed(token);
    }

    function _requireGain(address token, uint256 before, uint256 afterwards, uint256 expected) private pure {
        uint256 received = afterwards > before ? afterwards - before : 0;
        if (received != expected) revert InexactTransfer(token, expected, received);
    }
}
