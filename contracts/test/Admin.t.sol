// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {RouterAdmin} from "../src/RouterAdmin.sol";
import {SwapRouter} from "../src/SwapRouter.sol";
import {ExactInputParams, ISwapRouter} from "../src/interfaces/ISwapRouter.sol";
import {IWrappedNative} from "../src/interfaces/IWrappedNative.sol";
import {Fixture} from "./support/Fixture.sol";

/// @dev What the owner can do, and that nobody else can.
contract AdminTest is Fixture {
    uint256 private constant NEXT_KEY = 0x2EE;
    address private next = vm.addr(NEXT_KEY);

    function test_owner_isTheOnlyOneWithLevers() public {
        bytes[5] memory levers = [
            abi.encodeCall(router.offerOwnership, (taker)),
            abi.encodeCall(router.rotateFeeSigner, (taker, 0)),
            abi.encodeCall(router.pause, ()),
            abi.encodeCall(router.unpause, ()),
            abi.encodeCall(router.rescue, (address(weth), taker, 0))
        ];
        for (uint256 i; i < 5; ++i) {
            vm.prank(taker);
            (bool ok, bytes memory answer) = address(router).call(levers[i]);
            vm.assertFalse(ok, "lever moved");
            vm.assertEq(answer, err(RouterAdmin.OnlyOwner.selector), "reason");
        }
    }

    function test_ownership_movesInTwoSteps() public {
        vm.expectEmit(address(router));
        emit RouterAdmin.OwnershipOffered(owner, next);
        vm.prank(owner);
        router.offerOwnership(next);
        vm.assertEq(router.owner(), owner, "nothing changed yet");

        vm.prank(taker);
        vm.expectRevert(RouterAdmin.OnlyPendingOwner.selector);
        router.acceptOwnership();

        vm.expectEmit(address(router));
        emit RouterAdmin.OwnershipTransferred(owner, next);
        vm.prank(next);
        router.acceptOwnership();
        vm.assertEq(router.owner(), next, "new owner");
        vm.assertEq(router.pendingOwner(), address(0), "offer closed");
    }

    function test_ownership_offerCanBeWithdrawn() public {
        vm.startPrank(owner);
        router.offerOwnership(next);
        router.offerOwnership(address(0));
        vm.stopPrank();
        vm.prank(next);
        vm.expectRevert(RouterAdmin.OnlyPendingOwner.selector);
        router.acceptOwnership();
    }

    function test_feeSigner_oldOneIsValidDuringTheOverlapOnly() public {
        ExactInputParams memory first = plainQuote();
        ExactInputParams memory second = plainQuote();
        vm.expectEmit(address(router));
        emit RouterAdmin.FeeSignerRotated(feeSigner, next, NOW + 30);
        vm.prank(owner);
        router.rotateFeeSigner(next, 30);

        vm.assertTrue(router.isFeeSigner(next), "new one at once");
        vm.warp(NOW + 29);
        settle(first);
        vm.warp(NOW + 30);
        vm.assertFalse(router.isFeeSigner(feeSigner), "old one no longer");
        settleRefused(second, abi.encodeWithSelector(ISwapRouter.NotFeeSigner.selector, feeSigner));
    }

    function test_feeSigner_newOneAuthorises() public {
        vm.prank(owner);
        router.rotateFeeSigner(next, 0);
        ExactInputParams memory params = plainQuote();
        params.widgetFee.signer = next;
        params.widgetFeeSignature = signature(NEXT_KEY, router.hashAuthorization(params, taker));
        settle(params);
    }

    function test_feeSigner_leakedKeyIsDeadAtOnce() public {
        vm.prank(owner);
        router.rotateFeeSigner(next, 0);
        vm.assertFalse(router.isFeeSigner(feeSigner), "old one");
    }

    function test_feeSigner_overlapIsBounded() public {
        vm.startPrank(owner);
        vm.expectRevert(err(RouterAdmin.OverlapTooLong.selector, 15 minutes + 1));
        router.rotateFeeSigner(next, 15 minutes + 1);
        router.rotateFeeSigner(next, 15 minutes);
        vm.stopPrank();
    }

    function test_feeSigner_isNeverZero() public {
        vm.prank(owner);
        vm.expectRevert(RouterAdmin.ZeroAddress.selector);
        router.rotateFeeSigner(address(0), 0);
        vm.assertFalse(router.isFeeSigner(address(0)), "zero");
    }

    function test_constructor_refusesZeroKeys() public {
        IWrappedNative wrapped = IWrappedNative(address(weth));
        vm.expectRevert(RouterAdmin.ZeroAddress.selector);
        new SwapRouter(wrapped, address(0), address(0), address(0), feeSigner);
        vm.expectRevert(RouterAdmin.ZeroAddress.selector);
        new SwapRouter(wrapped, address(0), address(0), owner, address(0));
    }

    function test_pause_leavesCancellingOpen() public {
        vm.expectEmit(address(router));
        emit RouterAdmin.Paused();
        vm.prank(owner);
        router.pause();
        vm.assertTrue(router.paused(), "paused");
        vm.startPrank(maker);
        router.cancel(0, 1);
        router.setOrderSigner(taker, true);
        vm.stopPrank();
        vm.expectEmit(address(router));
        emit RouterAdmin.Unpaused();
        vm.prank(owner);
        router.unpause();
    }

    function test_rescue_sendsOnWhatWasSentHereByMistake() public {
        give(usdc, address(router), 5e6);
        vm.deal(address(router), 1e18); // as a self-destructing contract could force it
        vm.startPrank(owner);
        vm.expectEmit(address(router));
        emit RouterAdmin.Rescued(address(usdc), next, 5e6);
        router.rescue(address(usdc), next, 5e6);
        router.rescue(address(0), next, 1e18);
        vm.stopPrank();
        vm.assertEq(usdc.balanceOf(next), 5e6, "token");
        vm.assertEq(next.balance, 1e18, "coin");
    }
}
