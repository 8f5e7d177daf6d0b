// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {RouterAdmin} from "../src/RouterAdmin.sol";
import {ExactInputParams, ISwapRouter, Order, SignedOrder} from "../src/interfaces/ISwapRouter.sol";
import {Tokens} from "../src/libraries/Tokens.sol";
import {BlocklistToken} from "../src/tokens/BlocklistToken.sol";
import {FalseReturnToken} from "../src/tokens/FalseReturnToken.sol";
import {FeeOnTransferToken} from "../src/tokens/FeeOnTransferToken.sol";
import {ReentrantToken} from "../src/tokens/ReentrantToken.sol";
import {Token} from "../src/tokens/Token.sol";
import {Fixture} from "./support/Fixture.sol";
import {LossyToken, NoCoin, Puppet, SenderFeeToken} from "./support/Helpers.sol";

/// @dev Lets the token library be called on its own.
contract TokenCaller {
    function send(address token, address to, uint256 amount) external {
        Tokens.send(token, to, amount);
    }
}

/// @dev Tokens, recipients and makers that misbehave.
contract HostileTest is Fixture {
    function test_input_withAFeeOnTransferIsRefused() public {
        Token token = new FeeOnTransferToken("Fee", "FEE", 18);
        fund(token);
        settleRefused(
            quote(list(signed(makerOrder(token, 1e18, usdc, 1e6))), 1e18, 1e6),
            abi.encodeWithSelector(Tokens.InexactTransfer.selector, address(token), 1e18, 0.99e18)
        );
    }

    function test_makerToken_withAFeeOnTransferFailsTheLeg() public {
        Token token = new FeeOnTransferToken("Fee", "FEE", 18);
        fund(token);
        settleRefused(
            quote(list(signed(makerOrder(weth, 1e18, token, 1e18))), 1e18, 1),
            notFilled(Tokens.InexactTransfer.selector)
        );
    }

    function test_maker_isNeverPaidLessThanItSigned() public {
        LossyToken token = new LossyToken();
        fund(token);
        token.setLoser(maker);
        settleRefused(
            quote(list(signed(makerOrder(token, 1e18, usdc, 3000e6))), 1e18, 3000e6),
            notFilled(Tokens.InexactTransfer.selector)
        );
    }

    function test_output_lostOnTheWayToTheRecipientIsNoticed() public {
        LossyToken token = new LossyToken();
        fund(token);
        token.setLoser(recipient);
        ExactInputParams memory params = quote(list(signed(makerOrder(weth, 1e18, token, 100e18))), 1e18, 99.5e18);
        settleRefused(params, err(ISwapRouter.InsufficientOutput.selector, 99e18, 99.5e18));

        params.amountOutMinimum = 99e18;
        authorize(params);
        vm.assertEq(settle(params), 99e18, "what arrived is what is reported");
    }

    function test_output_receivedFromElsewhereDoesNotCount() public {
        ReentrantToken token = new ReentrantToken("Hook", "HOOK", 18);
        Puppet friend = new Puppet();
        fund(token);
        // The maker pays 90. While the router pays the recipient, a friend adds the missing 10.
        token.mint(address(friend), 10e18);
        GiftOnce gift = new GiftOnce(friend, token, recipient, 10e18);
        token.setHook(address(gift), "", false);
        settleRefused(
            quote(list(signed(makerOrder(weth, 1e18, token, 90e18))), 1e18, 100e18),
            err(ISwapRouter.InsufficientOutput.selector, 90e18, 100e18)
        );
    }

    function test_input_thatChargesTheRouterIsRefused() public {
        SenderFeeToken token = new SenderFeeToken();
        fund(token);
        token.setCharged(address(router));
        SignedOrder[] memory legs =
            list(signed(makerOrder(token, 1e18, usdc, 1e6)), signed(makerOrder(token, 1e18, usdc, 1e6)));
        settleRefused(quote(legs, 2e18, 1e6), err(ISwapRouter.InputShort.selector, 1));
    }

    function test_proRata_thatRoundsToNothingIsRefused() public {
        // The pool yields about 2,990 USDC where the maker wanted 3,100 for its one unit of DAI.
        SignedOrder[] memory legs = list(ammLeg(weth, 1e18, usdc, 3100e6), signed(makerOrder(usdc, 3100e6, dai, 1)));
        ExactInputParams memory params = quote(legs, 1e18, 1);
        params.fallbackSwapDataArray = entries(v2(), "");
        authorize(params);
        settleRefused(
            params, abi.encodeWithSelector(ISwapRouter.OrderNotFilled.selector, 1, ISwapRouter.NothingBought.selector)
        );
    }

    function test_surplusOfAWrappedInput_goesBackAsCoin() public {
        ReentrantToken token = new ReentrantToken("Hook", "HOOK", 18);
        Puppet friend = new Puppet();
        fund(token);
        give(weth, address(friend), 3e18);
        token.setHook(
            address(friend),
            abi.encodeCall(friend.act, (address(weth), abi.encodeCall(weth.transfer, (address(router), 1e18)))),
            true
        );
        ExactInputParams memory params = quote(list(signed(makerOrder(weth, 1e18, token, 1e18))), 1e18, 1e18);
        params.toWrap = true;
        authorize(params);
        uint256 coin = taker.balance;
        uint256 wrapped = weth.balanceOf(taker);
        settle(params);
        vm.assertEq(friend.calls(), 2, "two gifts in two transfers");
        vm.assertEq(taker.balance, coin - 1e18 + 2e18, "the surplus came back as coin");
        vm.assertEq(weth.balanceOf(taker), wrapped, "no wrapped coin");
        assertHoldsNothing();
    }

    function test_recipient_thatTakesNoCoinFailsTheSwap() public {
        ExactInputParams memory params = quote(list(signed(makerOrder(usdc, 3000e6, weth, 1e18))), 3000e6, 1e18);
        params.toUnwrap = true;
        params.recipient = address(new NoCoin());
        authorize(params);
        settleRefused(params, abi.encodeWithSelector(Tokens.NativeTransferFailed.selector, params.recipient));
    }

    function test_falseReturningToken_isBelieved() public {
        Token token = new FalseReturnToken("False", "FALSE", 18);
        fund(token);
        settle(quote(list(signed(makerOrder(token, 1e18, usdc, 1e6))), 1e18, 1e6));
        vm.prank(taker);
        token.approve(address(router), 0);
        settleRefused(
            quote(list(signed(makerOrder(token, 1e18, usdc, 1e6))), 1e18, 1e6),
            abi.encodeWithSelector(Tokens.TransferFailed.selector, address(token))
        );
        vm.prank(maker);
        token.approve(address(router), 0);
        settleRefused(
            quote(list(signed(makerOrder(weth, 1e18, token, 1e18))), 1e18, 1e18),
            notFilled(Tokens.TransferFailed.selector)
        );
    }

    function test_tokenWithoutCode_isNotAToken() public {
        TokenCaller caller = new TokenCaller();
        vm.expectRevert(abi.encodeWithSelector(Tokens.TransferFailed.selector, address(0xDEAD)));
        caller.send(address(0xDEAD), recipient, 1);
    }

    function test_blockedMaker_fallsBackAndBlockedRecipientReverts() public {
        BlocklistToken token = new BlocklistToken("Block", "BLK", 18);
        fund(token);
        addV2(weth, 1000e18, token, 1000e18);
        token.setBlocked(maker, true);
        ExactInputParams memory params = quote(list(signed(makerOrder(weth, 1e18, token, 1e18))), 1e18, 0.9e18);
        params.fallbackSwapDataArray = entries(v2());
        authorize(params);
        uint256 before = vm.snapshotState();
        settle(params);
        vm.revertToState(before);
        token.setBlocked(recipient, true);
        settleRefused(params, abi.encodeWithSelector(Tokens.TransferFailed.selector, address(token)));
    }

    function test_contractCaller_isServedLikeAnyOther() public {
        Puppet safe = new Puppet();
        give(weth, address(safe), 1e18);
        safe.act(address(weth), abi.encodeCall(weth.approve, (address(router), 1e18)));
        safe.act(address(router), abi.encodeCall(router.exactInput, (quoteFor(address(safe)))));
        vm.assertTrue(safe.lastOk(), "settled");
        vm.assertEq(usdc.balanceOf(recipient), 3000e6, "delivered");
    }

    function test_lock_refusesAnotherSwapInside() public {
        Puppet puppet = new Puppet();
        give(weth, address(puppet), 1e18);
        puppet.act(address(weth), abi.encodeCall(weth.approve, (address(router), 1e18)));
        refusedInside(puppet, abi.encodeCall(router.exactInput, (quoteFor(address(puppet)))));
    }

    function test_lock_refusesCancelInside() public {
        refusedInside(new Puppet(), abi.encodeCall(router.cancel, (0, 1)));
    }

    function test_lock_refusesSetOrderSignerInside() public {
        refusedInside(new Puppet(), abi.encodeCall(router.setOrderSigner, (taker, true)));
    }

    function test_lock_refusesAcceptOwnershipInside() public {
        Puppet puppet = new Puppet();
        vm.prank(owner);
        router.offerOwnership(address(puppet));
        refusedInside(puppet, abi.encodeCall(router.acceptOwnership, ()));
    }

    function test_lock_refusesOfferOwnershipInside() public {
        refusedInside(puppetOwner(), abi.encodeCall(router.offerOwnership, (taker)));
    }

    function test_lock_refusesRotateFeeSignerInside() public {
        refusedInside(puppetOwner(), abi.encodeCall(router.rotateFeeSigner, (taker, 0)));
    }

    function test_lock_refusesPauseInside() public {
        refusedInside(puppetOwner(), abi.encodeCall(router.pause, ()));
    }

    function test_lock_refusesUnpauseInside() public {
        refusedInside(puppetOwner(), abi.encodeCall(router.unpause, ()));
    }

    function test_lock_refusesRescueInside() public {
        refusedInside(puppetOwner(), abi.encodeCall(router.rescue, (address(weth), taker, 0)));
    }

    function test_lock_opensAgainAfterwards() public {
        settle(plainQuote());
        settle(plainQuote());
    }

    function puppetOwner() private returns (Puppet puppet) {
        puppet = new Puppet();
        vm.prank(owner);
        router.offerOwnership(address(puppet));
        puppet.act(address(router), abi.encodeCall(router.acceptOwnership, ()));
        vm.assertTrue(puppet.lastOk(), "puppet owns the router");
    }

    /// @dev The puppet makes `call` on the router while a swap is under way, and finds it locked.
    function refusedInside(Puppet puppet, bytes memory call) private {
        ReentrantToken token = new ReentrantToken("Hook", "HOOK", 18);
        fund(token);
        ExactInputParams memory params = quote(list(signed(makerOrder(token, 1e18, usdc, 3000e6))), 1e18, 3000e6);
        token.setHook(address(puppet), abi.encodeCall(puppet.act, (address(router), call)), true);
        settle(params);
        vm.assertFalse(puppet.lastOk(), "the call went through");
        vm.assertEq(puppet.lastAnswer(), err(RouterAdmin.Locked.selector), "reason");
        token.setHook(address(0), "", false);
    }

    function quoteFor(address caller) private returns (ExactInputParams memory params) {
        Order memory order = makerOrder(weth, 1e18, usdc, 3000e6);
        (order.caller, order.seller) = (caller, caller);
        params = quote(list(signed(order)), 1e18, 3000e6);
        params.widgetFeeSignature = signature(FEE_KEY, router.hashAuthorization(params, caller));
    }

    function notFilled(bytes4 reason) private pure returns (bytes memory) {
        return abi.encodeWithSelector(ISwapRouter.OrderNotFilled.selector, 0, reason);
    }
}

/// @dev Hands a gift to the recipient once it is being paid: on the second transfer, the first being the maker's.
contract GiftOnce {
    Puppet private immutable friend;
    Token private immutable token;
    address private immutable to;
    uint256 private immutable amount;
    bool private busy;
    uint256 private transfers;

    constructor(Puppet friend_, Token token_, address to_, uint256 amount_) {
        (friend, token, to, amount) = (friend_, token_, to_, amount_);
    }

    fallback() external {
        if (busy || ++transfers != 2) return;
        busy = true;
        friend.act(address(token), abi.encodeCall(token.transfer, (to, amount)));
    }
}
