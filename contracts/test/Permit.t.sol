// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ExactInputParams, ISwapRouter, Permit} from "../src/interfaces/ISwapRouter.sol";
import {Tokens} from "../src/libraries/Tokens.sol";
import {MoodyPermitToken} from "../src/tokens/MoodyPermitToken.sol";
import {PermitToken} from "../src/tokens/PermitToken.sol";
import {Token} from "../src/tokens/Token.sol";
import {Fixture} from "./support/Fixture.sol";

/// @dev Swaps that bring their allowance along.
contract PermitTest is Fixture {
    uint256 private constant TAKER_KEY = 0x7A6E5;
    address private constant THIEF = address(0xBAD);
    uint256 private constant DEADLINE = NOW + 60;

    PermitToken private token;

    function setUp() public override {
        super.setUp();
        taker = vm.addr(TAKER_KEY);
        token = new PermitToken("Permits", "PER", 18);
        token.mint(taker, 100e18);
    }

    /// forge-config: default.isolate = true
    function test_permit_settlesWithoutAnAllowanceAndLeavesNone() public {
        vm.assertEq(settleWith(quoteFor(token), permitFor(token, 1e18, DEADLINE)), 3000e6, "what the quote says");
        noteGas("permit");
        vm.assertEq(token.allowance(taker, address(router)), 0, "nothing is left to take");
        vm.assertEq(token.nonces(taker), 1, "it was used");
        vm.assertEq(token.balanceOf(taker), 99e18, "exactly the amount is gone");
        assertHoldsNothing();
    }

    function test_permit_sentFirstBySomebodyElseBreaksNothing() public {
        Permit memory permit = permitFor(token, 1e18, DEADLINE);
        vm.prank(THIEF);
        token.permit(taker, address(router), 1e18, permit.deadline, permit.v, permit.r, permit.s);
        vm.assertEq(settleWith(quoteFor(token), permit), 3000e6, "its allowance is used");
        vm.assertEq(token.allowance(taker, address(router)), 0, "all of it");
    }

    function test_permit_isNotNeededWhereAnAllowanceStands() public {
        vm.prank(taker);
        token.approve(address(router), 5e18);
        Permit memory none;
        vm.assertEq(settleWith(quoteFor(token), none), 3000e6, "from what stands");
        vm.assertEq(token.allowance(taker, address(router)), 4e18, "less what was sold");
    }

    function test_permit_replayedSettlesNothing() public {
        Permit memory permit = permitFor(token, 1e18, DEADLINE);
        ExactInputParams memory params = quoteFor(token);
        settleWith(params, permit);
        settleRefused(params, permit, err(ISwapRouter.AuthorizationUsed.selector, uint256(router.hashAuthorization(params, taker))));
        settleRefused(quoteFor(token), permit, notTaken(address(token)));
    }

    function test_permit_ofAnotherAmountDeadlineOrRouterIsNone() public {
        refused(permitFor(token, 1e18 - 1, DEADLINE));
        refused(permitFor(token, 1e18 + 1, DEADLINE));
        refused(permitFor(token, type(uint256).max, DEADLINE));
        Permit memory later = permitFor(token, 1e18, DEADLINE);
        later.deadline += 1;
        refused(later);
        refused(signedPermit(token, TAKER_KEY, THIEF, 1e18, DEADLINE));
        refused(signedPermit(token, MAKER_KEY, address(router), 1e18, DEADLINE));
        refused(permitFor(token, 1e18, NOW - 1));
    }

    function test_permit_ofSomebodyElseIsOfNoUseToTheCaller() public {
        ExactInputParams memory params = quoteFor(token);
        Permit memory permit = permitFor(token, 1e18, DEADLINE);
        vm.prank(THIEF);
        vm.expectRevert(err(ISwapRouter.WrongCaller.selector, 0));
        router.exactInputWithPermit(params, permit);
    }

    function test_permit_ofTheNativeCoinIsRefused() public {
        ExactInputParams memory params = plainQuote();
        params.toWrap = true;
        authorize(params);
        vm.deal(taker, 1e18);
        Permit memory none;
        vm.prank(taker);
        vm.expectRevert(err(ISwapRouter.PermitOfNativeCoin.selector));
        router.exactInputWithPermit{value: 1e18}(params, none);
    }

    function test_permit_sendsNoCoin() public {
        ExactInputParams memory params = quoteFor(token);
        Permit memory permit = permitFor(token, 1e18, DEADLINE);
        vm.deal(taker, 1);
        vm.prank(taker);
        vm.expectRevert(err(ISwapRouter.WrongValue.selector, 1, 0));
        router.exactInputWithPermit{value: 1}(params, permit);
    }

    function test_permit_isHeldToThePause() public {
        vm.prank(owner);
        router.pause();
        settleRefused(quoteFor(token), permitFor(token, 1e18, DEADLINE), err(ISwapRouter.EntryPaused.selector));
    }

    function test_permit_thatChangesNothingSettlesNothing() public {
        uint256[6] memory moods = [uint256(1), 2, 6, 7, 9, 10];
        for (uint256 i; i < moods.length; ++i) {
            MoodyPermitToken moody = moodyToken(moods[i]);
            // Signed for what the token should be, not for what it says it is.
            Permit memory permit = permitFor(honest(moody), 1e18, DEADLINE);
            settleRefused(quoteFor(honest(moody)), permit, notTaken(address(moody)));
            vm.assertEq(moody.balanceOf(taker), 100e18, "nothing moved");
        }
    }

    function test_permit_ofLessSettlesNothing() public {
        MoodyPermitToken moody = moodyToken(13);
        Permit memory permit = permitFor(honest(moody), 1e18, DEADLINE);
        settleRefused(quoteFor(honest(moody)), permit, notTaken(address(moody)));
    }

    function test_permit_thatComesBackFindsTheRouterLocked() public {
        MoodyPermitToken moody = moodyToken(8);
        Permit memory permit = permitFor(honest(moody), 1e18, DEADLINE);
        settleRefused(quoteFor(honest(moody)), permit, notTaken(address(moody)));
    }

    function test_permit_ofMoreLeavesItToNobodyButTheOwner() public {
        MoodyPermitToken moody = moodyToken(4);
        settleWith(quoteFor(honest(moody)), permitFor(honest(moody), 1e18, DEADLINE));
        vm.assertEq(moody.allowance(taker, address(router)), 1e18, "the token's own word");
        // The rest can only be taken by a call of the taker, and only by one that names it as caller.
        ExactInputParams memory params = quoteFor(honest(moody));
        vm.prank(THIEF);
        vm.expectRevert(err(ISwapRouter.WrongCaller.selector, 0));
        router.exactInput(params);
        vm.assertEq(moody.balanceOf(taker), 99e18, "one swap, one amount");
    }

    function refused(Permit memory permit) private {
        settleRefused(quoteFor(token), permit, notTaken(address(token)));
    }

    function quoteFor(Token sold) private returns (ExactInputParams memory) {
        return quote(list(signed(makerOrder(sold, 1e18, usdc, 3000e6))), 1e18, 3000e6);
    }

    function permitFor(Token of_, uint256 value, uint256 deadline) private view returns (Permit memory) {
        return signedPermit(of_, TAKER_KEY, address(router), value, deadline);
    }

    function signedPermit(Token of_, uint256 key, address spender, uint256 value, uint256 deadline)
        private
        view
        returns (Permit memory)
    {
        bytes32 separator = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(of_.name())),
                keccak256("1"),
                block.chainid,
                address(of_)
            )
        );
        bytes32 digest = keccak256(
            abi.encodePacked(
                "\x19\x01",
                separator,
                keccak256(
                    abi.encode(
                        keccak256(
                            "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
                        ),
                        taker,
                        spender,
                        value,
                        PermitToken(address(of_)).nonces(taker),
                        deadline
                    )
                )
            )
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return Permit(deadline, v, r, s);
    }

    function moodyToken(uint256 mood) private returns (MoodyPermitToken moody) {
        moody = new MoodyPermitToken();
        moody.mint(taker, 100e18);
        moody.setMood(mood);
    }

    function honest(MoodyPermitToken moody) private pure returns (Token) {
        return Token(address(moody));
    }

    function settleWith(ExactInputParams memory params, Permit memory permit) private returns (uint256) {
        vm.prank(taker);
        return router.exactInputWithPermit(params, permit);
    }

    function settleRefused(ExactInputParams memory params, Permit memory permit, bytes memory reason) private {
        vm.prank(taker);
        vm.expectRevert(reason);
        router.exactInputWithPermit(params, permit);
    }

    function notTaken(address sold) private pure returns (bytes memory) {
        return abi.encodeWithSelector(Tokens.TransferFailed.selector, sold);
    }
}
