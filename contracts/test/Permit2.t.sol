// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {RouterAdmin} from "../src/RouterAdmin.sol";
import {ScenarioProbe} from "../src/ScenarioProbe.sol";
import {ExactInputParams, ISwapRouter, Permit2Transfer, SignedOrder} from "../src/interfaces/ISwapRouter.sol";
import {IERC1271} from "../src/interfaces/IERC1271.sol";
import {Tokens} from "../src/libraries/Tokens.sol";
import {FeeOnTransferToken} from "../src/tokens/FeeOnTransferToken.sol";
import {ReentrantToken} from "../src/tokens/ReentrantToken.sol";
import {Token} from "../src/tokens/Token.sol";
import {Fixture} from "./support/Fixture.sol";
import {Puppet} from "./support/Helpers.sol";
import {RealPermit2} from "./support/RealPermit2.sol";

/// @dev Swaps whose input comes through the real Permit2.
contract Permit2Test is Fixture, RealPermit2 {
    uint256 private constant TAKER_KEY = 0x7A6E5;
    address private constant THIEF = address(0xBAD);
    uint256 private constant DEADLINE = NOW + 60;
    uint256 private constant NONCE = uint256(keccak256("a swap"));

    error InvalidNonce();
    error InvalidSigner();
    error SignatureExpired(uint256 signatureDeadline);

    /// @dev What is signed; each test bends one part of it.
    struct Signed {
        uint256 key;
        address token;
        uint256 amount;
        address spender;
        uint256 nonce;
        uint256 deadline;
        bytes32 authorization;
    }

    Token private token;

    function setUp() public override {
        super.setUp();
        deployPermit2();
        taker = vm.addr(TAKER_KEY);
        token = new Token("Plain", "PLN", 18);
        equip(token);
    }

    /// forge-config: default.isolate = true
    function test_permit2_settlesByTheAllowanceOfPermit2Alone() public {
        ExactInputParams memory params = quoteFor(token);
        vm.assertEq(settleWith(params, permitFor(params)), 3000e6, "what the quote says");
        noteGas("Permit2");
        vm.assertEq(token.allowance(taker, address(permit2)), 4e18, "less what was sold");
        vm.assertEq(token.allowance(taker, address(router)), 0, "the router has none");
        vm.assertEq(token.balanceOf(taker), 99e18, "exactly the amount is gone");
        vm.assertEq(permit2.nonceBitmap(taker, NONCE >> 8), 1 << (NONCE & 0xff), "one bit is set");
        assertHoldsNothing();
    }

    function test_permit2_replayedSettlesNothing() public {
        ExactInputParams memory params = quoteFor(token);
        Permit2Transfer memory permit = permitFor(params);
        settleWith(params, permit);
        bytes32 used = router.hashAuthorization(params, taker);
        settleRefused(params, permit, err(ISwapRouter.AuthorizationUsed.selector, uint256(used)));
        ExactInputParams memory other = quoteFor(token);
        settleRefused(other, permitFor(other), err(InvalidNonce.selector));
    }

    function test_permit2_ofAnotherSwapIsNone() public {
        Permit2Transfer memory permit = permitFor(quoteFor(token));
        settleRefused(quoteFor(token), permit, err(InvalidSigner.selector));
    }

    function test_permit2_ofAnotherAmountTokenSpenderNonceOrOwnerIsNone() public {
        ExactInputParams memory params = quoteFor(token);
        Signed memory terms = termsFor(params);
        terms.amount += 1;
        noneBy(params, terms);
        terms = termsFor(params);
        terms.amount = type(uint256).max;
        noneBy(params, terms);
        terms = termsFor(params);
        terms.token = address(dai);
        noneBy(params, terms);
        terms = termsFor(params);
        terms.spender = THIEF;
        noneBy(params, terms);
        terms = termsFor(params);
        terms.nonce += 1;
        noneBy(params, terms);
        terms = termsFor(params);
        terms.deadline += 1;
        noneBy(params, terms);
        terms = termsFor(params);
        terms.key = MAKER_KEY;
        noneBy(params, terms);
    }

    function test_permit2_expiredSettlesNothing() public {
        ExactInputParams memory params = quoteFor(token);
        Signed memory terms = termsFor(params);
        terms.deadline = NOW - 1;
        Permit2Transfer memory permit = Permit2Transfer(NONCE, NOW - 1, signatureOf(terms));
        settleRefused(params, permit, err(SignatureExpired.selector, NOW - 1));
    }

    function test_permit2_invalidatedByItsOwnerSettlesNothing() public {
        ExactInputParams memory params = quoteFor(token);
        vm.prank(taker);
        permit2.invalidateUnorderedNonces(NONCE >> 8, 1 << (NONCE & 0xff));
        settleRefused(params, permitFor(params), err(InvalidNonce.selector));
    }

    function test_permit2_ofSomebodyElseIsOfNoUseToTheCaller() public {
        ExactInputParams memory params = quoteFor(token);
        Permit2Transfer memory permit = permitFor(params);
        vm.prank(THIEF);
        vm.expectRevert(err(ISwapRouter.WrongCaller.selector, 0));
        router.exactInputWithPermit2(params, permit);
    }

    function test_permit2_ofTheNativeCoinIsRefused() public {
        ExactInputParams memory params = plainQuote();
        params.toWrap = true;
        authorize(params);
        vm.deal(taker, 1e18);
        Permit2Transfer memory permit = permitFor(params);
        vm.prank(taker);
        vm.expectRevert(err(ISwapRouter.PermitOfNativeCoin.selector));
        router.exactInputWithPermit2{value: 1e18}(params, permit);
    }

    function test_permit2_sendsNoCoin() public {
        ExactInputParams memory params = quoteFor(token);
        Permit2Transfer memory permit = permitFor(params);
        vm.deal(taker, 1);
        vm.prank(taker);
        vm.expectRevert(err(ISwapRouter.WrongValue.selector, 1, 0));
        router.exactInputWithPermit2{value: 1}(params, permit);
    }

    function test_permit2_isHeldToThePause() public {
        ExactInputParams memory params = quoteFor(token);
        Permit2Transfer memory permit = permitFor(params);
        vm.prank(owner);
        router.pause();
        settleRefused(params, permit, err(ISwapRouter.EntryPaused.selector));
    }

    function test_permit2_withoutItsAllowanceTakesNothingOfTheRouters() public {
        ExactInputParams memory params = quoteFor(token);
        Permit2Transfer memory permit = permitFor(params);
        vm.prank(taker);
        token.approve(address(router), 5e18);
        vm.prank(taker);
        token.approve(address(permit2), 1e18 - 1);
        vm.prank(taker);
        vm.expectRevert();
        router.exactInputWithPermit2(params, permit);
        vm.assertEq(token.balanceOf(taker), 100e18, "nothing moved");
    }

    function test_permit2_thatIsNotThereIsSaid() public {
        ExactInputParams memory params = quoteFor(token);
        Permit2Transfer memory permit = permitFor(params);
        vm.etch(address(permit2), "");
        settleRefused(params, permit, err(ISwapRouter.NoPermit2.selector));
    }

    function test_permit2_ofATokenThatTakesAFeeIsRefused() public {
        FeeOnTransferToken taking = new FeeOnTransferToken("Taking", "TAKE", 18);
        equip(taking);
        ExactInputParams memory params = quoteFor(taking);
        bytes memory inexact =
            abi.encodeWithSelector(Tokens.InexactTransfer.selector, address(taking), 1e18, 1e18 - 1e18 / 100);
        settleRefused(params, permitFor(params), inexact);
    }

    function test_permit2_ofATokenThatComesBackFindsTheRouterLocked() public {
        ReentrantToken hostile = new ReentrantToken("Hostile", "HOST", 18);
        Puppet puppet = new Puppet();
        equip(hostile);
        ExactInputParams memory params = quoteFor(hostile);
        Permit2Transfer memory permit = permitFor(params);
        bytes memory again = abi.encodeCall(ISwapRouter.exactInputWithPermit2, (params, permit));
        hostile.setHook(address(puppet), abi.encodeCall(puppet.act, (address(router), again)), true);
        settleWith(params, permit);
        vm.assertFalse(puppet.lastOk(), "nothing runs inside a swap");
        vm.assertEq(puppet.lastAnswer(), err(RouterAdmin.Locked.selector), "reason");
        vm.assertEq(hostile.balanceOf(taker), 99e18, "one swap, one amount");
    }

    function test_permit2_probeAtTheWalletAnswersForItsKeyAlone() public {
        ScenarioProbe probe = ScenarioProbe(payable(taker));
        vm.etch(taker, address(new ScenarioProbe()).code);
        bytes32 digest = keccak256("what is signed");
        bytes4 yes = IERC1271.isValidSignature.selector;
        vm.assertEq(probe.isValidSignature(digest, signature(TAKER_KEY, digest)), yes, "its own key");
        vm.assertEq(probe.isValidSignature(digest, signature(MAKER_KEY, digest)), bytes4(0), "another key");
        vm.assertEq(probe.isValidSignature(digest, ""), bytes4(0), "none");
        ExactInputParams memory params = quoteFor(token);
        vm.assertEq(settleWith(params, permitFor(params)), 3000e6, "Permit2 takes its word");
    }

    function equip(Token sold) private {
        sold.mint(taker, 100e18);
        vm.prank(taker);
        sold.approve(address(permit2), 5e18);
    }

    function quoteFor(Token sold) private returns (ExactInputParams memory) {
        return quote(list(signed(makerOrder(sold, 1e18, usdc, 3000e6))), 1e18, 3000e6);
    }

    function soldBy(ExactInputParams memory params) private pure returns (address) {
        return abi.decode(params.orders, (SignedOrder[]))[0].order.sellerToken;
    }

    function termsFor(ExactInputParams memory params) private view returns (Signed memory) {
        return Signed({
            key: TAKER_KEY,
            token: soldBy(params),
            amount: params.amountIn,
            spender: address(router),
            nonce: NONCE,
            deadline: DEADLINE,
            authorization: router.hashAuthorization(params, taker)
        });
    }

    function permitFor(ExactInputParams memory params) private view returns (Permit2Transfer memory) {
        return Permit2Transfer(NONCE, DEADLINE, signatureOf(termsFor(params)));
    }

    function noneBy(ExactInputParams memory params, Signed memory terms) private {
        settleRefused(params, Permit2Transfer(NONCE, DEADLINE, signatureOf(terms)), err(InvalidSigner.selector));
    }

    /// @dev Written from the definitions of EIP-712 and of Permit2.
    function signatureOf(Signed memory terms) private view returns (bytes memory) {
        bytes32 separator = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)"),
                keccak256("Permit2"),
                block.chainid,
                address(permit2)
            )
        );
        bytes32 permitted = keccak256(
            abi.encode(keccak256("TokenPermissions(address token,uint256 amount)"), terms.token, terms.amount)
        );
        bytes32 transfer = keccak256(
            abi.encode(
                keccak256(
                    "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,bytes32 authorization)TokenPermissions(address token,uint256 amount)"
                ),
                permitted,
                terms.spender,
                terms.nonce,
                terms.deadline,
                terms.authorization
            )
        );
        return signature(terms.key, keccak256(abi.encodePacked("\x19\x01", separator, transfer)));
    }

    function settleWith(ExactInputParams memory params, Permit2Transfer memory permit) private returns (uint256) {
        vm.prank(taker);
        return router.exactInputWithPermit2(params, permit);
    }

    function settleRefused(ExactInputParams memory params, Permit2Transfer memory permit, bytes memory reason)
        private
    {
        vm.prank(taker);
        vm.expectRevert(reason);
        router.exactInputWithPermit2(params, permit);
    }
}
