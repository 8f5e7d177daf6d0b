// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {RouterAdmin} from "../src/RouterAdmin.sol";
import {ExactInputParams, ISwapRouter, Order, SignedOrder} from "../src/interfaces/ISwapRouter.sol";
import {Token} from "../src/tokens/Token.sol";
import {Campaign} from "./support/Campaign.sol";
import {Fixture} from "./support/Fixture.sol";

/// @dev What may happen between a quote and its settlement: owners, makers and strangers pull levers, tokens and coin are
///      given away, time passes. A model of its own says what must become of the quote, to the reason of a refusal.
contract LeversHandler is Fixture {
    uint256 private constant DELEGATE_KEY = 0xDE1E;
    address private constant STRANGER = address(0x57A);
    address private constant PURSE = address(0x5AFE);
    address private constant COIN = address(0);

    /// @dev How often each thing happened, by its name.
    mapping(string what => uint256) public count;
    uint256 public attempts;

    struct Quote {
        ExactInputParams params;
        Order order;
        bool isAmm;
        bool isUsed;
    }

    struct Model {
        address owner;
        address pendingOwner;
        address feeSigner;
        address previousFeeSigner;
        uint256 previousUntil;
        bool paused;
        bool delegated;
    }

    Model private model;
    Quote[] private quotes;
    mapping(uint256 wordPos => uint256) private marks;
    mapping(address holder => mapping(address token => uint256)) private given;

    uint256[3] private feeKeys = [FEE_KEY, 0xFE1, 0xFE2];
    address[4] private tokens;
    uint256[5] private takerHad;
    uint256[5] private recipientHad;
    uint256[5] private makerHad;
    uint256[5] private widgetHad;

    function setUp() public override {
        super.setUp();
        addV2(weth, 1000e18, dai, 3_000_000e18);
        tokens = [address(weth), address(usdc), address(dai), COIN];
        model.owner = owner;
        model.feeSigner = feeSigner;
        nextId = 250; // soon the ids pass from one word of the bitmap to the next
    }

    /// @dev Every action stands between a new quote and an attempt to settle one of the last. What forge draws is often
    ///      small or seen before; hashed, it is neither.
    modifier between(uint256 draw) {
        draw = uint256(keccak256(abi.encode(draw, attempts)));
        ask(draw);
        _;
        settleOne(draw >> 128);
    }

    function nothing(uint256 draw) external between(draw) {}

    function passTime(uint256 draw, uint256 time) external between(draw) {
        vm.warp(block.timestamp + bound(time, 1, 45));
    }

    function donate(uint256 draw, uint256 which, uint256 whom, uint256 amount) external between(draw) {
        address token = tokens[which % 4];
        address holder = [address(router), address(executor), pairOf(which), v3Pool()][whom % 4];
        amount = bound(amount, 1, 1e9);
        if (token == COIN) vm.deal(holder, holder.balance + amount); // as a contract that destroys itself can force it
        else give(Token(token), holder, amount);
        given[holder][token] += amount;
        ++count["given"];
    }

    function cancel(uint256 draw, uint256 which, uint256 bit, uint256 who) external between(draw) {
        uint256 id = recent(which).order.id;
        uint256 mask = (1 << (id & 0xff)) | (1 << (bit & 0xff));
        vm.prank(who % 4 == 0 ? STRANGER : maker);
        router.cancel(id >> 8, mask);
        if (who % 4 == 0) return;
        marks[id >> 8] |= mask;
        ++count["cancelled"];
    }

    function appoint(uint256 draw, uint256 choice, uint256 who) external between(draw) {
        bool allowed = choice % 2 == 0;
        vm.prank(who % 4 == 0 ? STRANGER : maker);
        router.setOrderSigner(vm.addr(DELEGATE_KEY), allowed);
        if (who % 4 != 0) model.delegated = allowed;
        ++count[who % 4 == 0 ? "appointed by a stranger" : allowed ? "appointed" : "dismissed"];
    }

    function pause(uint256 draw, uint256 who) external between(draw) {
        if (pull(who, abi.encodeCall(router.pause, ()))) model.paused = true;
    }

    function unpause(uint256 draw, uint256 who) external between(draw) {
        // By the owner most of the time, or too little would ever settle.
        if (pull(who % 7 == 0 ? who : 0, abi.encodeCall(router.unpause, ()))) model.paused = false;
    }

    function rotate(uint256 draw, uint256 who, uint256 key, uint256 overlap) external between(draw) {
        address next = vm.addr(feeKeys[key % 3]);
        overlap = overlap % 3 == 0 ? 0 : bound(overlap, 1, 60);
        if (!pull(who, abi.encodeCall(router.rotateFeeSigner, (next, overlap)))) return;
        model.previousFeeSigner = model.feeSigner;
        model.previousUntil = block.timestamp + overlap;
        model.feeSigner = next;
        ++count["rotated"];
    }

    function offer(uint256 draw, uint256 who, uint256 next) external between(draw) {
        address heir = [owner, STRANGER, maker, COIN][next % 4];
        if (pull(who, abi.encodeCall(router.offerOwnership, (heir)))) model.pendingOwner = heir;
    }

    function accept(uint256 draw, uint256 who) external between(draw) {
        address actor = who % 2 == 0 && model.pendingOwner != COIN ? model.pendingOwner : actorOf(who);
        vm.prank(actor);
        try router.acceptOwnership() {
            vm.assertEq(actor, model.pendingOwner, "took the router over");
            (model.owner, model.pendingOwner) = (actor, COIN);
            ++count["taken over"];
        } catch (bytes memory reason) {
            vm.assertFalse(actor == model.pendingOwner, "its successor was refused");
            vm.assertEq(reason, err(RouterAdmin.OnlyPendingOwner.selector), "reason");
        }
    }

    function rescue(uint256 draw, uint256 who, uint256 which, uint256 amount) external between(draw) {
        address token = tokens[which % 4];
        amount = bound(amount, 0, given[address(router)][token]);
        uint256 before = holds(PURSE, token);
        if (!pull(who, abi.encodeCall(router.rescue, (token, PURSE, amount)))) return;
        given[address(router)][token] -= amount;
        vm.assertEq(holds(PURSE, token), before + amount, "rescued");
        if (amount != 0) ++count["rescued"];
    }

    /// @dev What the router says of itself is what the model says, and only what was given away lies in it.
    function check() external view {
        vm.assertEq(router.owner(), model.owner, "owner");
        vm.assertEq(router.pendingOwner(), model.pendingOwner, "pending owner");
        vm.assertTrue(router.paused() == model.paused, "paused");
        for (uint256 i; i < 3; ++i) {
            address signer = vm.addr(feeKeys[i]);
            vm.assertTrue(router.isFeeSigner(signer) == isFeeSigner(signer), "fee signer");
        }
        vm.assertTrue(router.orderSigner(maker, vm.addr(DELEGATE_KEY)) == model.delegated, "delegate");
        vm.assertEq(router.nonceBitmap(maker, 0), marks[0], "consumed ids");
        vm.assertEq(router.nonceBitmap(maker, 1), marks[1], "consumed ids");
        for (uint256 i; i < 4; ++i) {
            uint256 gifts = given[address(router)][tokens[i]];
            vm.assertEq(holds(address(router), tokens[i]), gifts, "the router holds gifts and nothing else");
            gifts = given[address(executor)][tokens[i]];
            vm.assertEq(holds(address(executor), tokens[i]), gifts, "the executor holds gifts and nothing else");
            if (tokens[i] != COIN) {
                vm.assertEq(Token(tokens[i]).allowance(address(router), address(executor)), 0, "allowance");
            }
        }
    }

    /// @dev A quote of the maker or of a pool, at times by its delegate, under a removed signer, or for an old order.
    function ask(uint256 draw) private {
        uint256 first = draw % 3;
        Token sold = Token(tokens[first]);
        Token bought = Token(tokens[(first + 1 + ((draw >> 8) % 2)) % 3]);
        uint256 unit = address(sold) == address(weth) ? 1e15 : 10 ** sold.decimals();
        uint256 amountIn = bound(draw >> 16, unit, 2 * unit);
        uint256 feeRate = (draw >> 40) % 101;
        uint256 net = amountIn - (amountIn * feeRate) / 10_000;

        Quote memory made;
        made.order = makerOrder(sold, net, bought, bound(draw >> 48, 1e6, 2e6));
        made.order.deadlineTimestamp = block.timestamp + 60;
        uint256 makerKey = MAKER_KEY;
        if ((draw >> 72) % 4 == 0) makerKey = DELEGATE_KEY;
        made.order.signer = vm.addr(makerKey);
        if ((draw >> 80) % 4 == 0) {
            (made.order.buyer, made.order.signer) = (address(executor), COIN);
            made.isAmm = true;
        } else if ((draw >> 88) % 4 == 0 && quotes.length > 0 && !recent(draw >> 96).isAmm) {
            reauthorize(recent(draw >> 96));
            return;
        }
        SignedOrder memory leg;
        if (made.isAmm) leg.order = made.order;
        else leg = signedBy(makerKey, made.order);
        made.params = quote(list(leg), amountIn, 1);
        made.params.widgetFee.feeRate = feeRate;
        if (made.isAmm || (draw >> 104) % 2 == 0) made.params.fallbackSwapDataArray = entries(v2());
        made.params.toWrap = address(sold) == address(weth) && (draw >> 112) % 2 == 0;
        made.params.toUnwrap = address(bought) == address(weth) && (draw >> 112) % 2 == 0;
        keep(made, draw >> 120);
    }

    function reauthorize(Quote memory old) private {
        old.isUsed = false;
        old.params.widgetFee.feeRecipient = address(uint160(uint256(keccak256(abi.encode(quotes.length)))));
        keep(old, 1);
        ++count["old order asked for again"];
    }

    function keep(Quote memory made, uint256 draw) private {
        uint256 key = FEE_KEY;
        for (uint256 i; i < 3; ++i) {
            if (vm.addr(feeKeys[i]) == model.feeSigner) key = feeKeys[i];
        }
        if (draw % 8 == 0) key = feeKeys[(draw >> 3) % 3];
        made.params.widgetFee.signer = vm.addr(key);
        made.params.widgetFeeSignature = signature(key, router.hashAuthorization(made.params, taker));
        quotes.push(made);
    }

    function settleOne(uint256 draw) private {
        uint256 index = recentIndex(draw);
        Quote memory chosen = quotes[index];
        (bytes memory refusal, bool fills) = predict(chosen);
        uint256 expected = fills
            ? chosen.order.buyerTokenAmount
            : quoteV2(chosen.order.sellerToken, chosen.order.buyerToken, chosen.order.sellerTokenAmount);
        uint256 value = chosen.params.toWrap ? chosen.params.amountIn : 0;
        if (value == 0) give(Token(chosen.order.sellerToken), taker, chosen.params.amountIn);
        remember(chosen);
        ++attempts;
        vm.prank(taker);
        try router.exactInput{value: value}(chosen.params) returns (uint256 amountOut) {
            vm.assertEq(refusal, "", "a quote settled that had to be refused");
            vm.assertEq(amountOut, expected, "amount out");
            quotes[index].isUsed = true;
            if (fills) marks[chosen.order.id >> 8] |= 1 << (chosen.order.id & 0xff);
            compare(chosen, amountOut, fills);
            ++count[fills ? "filled" : chosen.isAmm ? "sold to a pool" : "fell back"];
        } catch (bytes memory reason) {
            vm.assertEq(reason, refusal, "refused for another reason");
        }
    }

    /// @return refusal Empty when the quote settles.
    /// @return fills The maker's order fills.
    function predict(Quote memory chosen) private returns (bytes memory refusal, bool fills) {
        address signer = chosen.params.widgetFee.signer;
        uint256 deadline = chosen.order.deadlineTimestamp;
        if (model.paused) return (refused("paused", err(ISwapRouter.EntryPaused.selector)), false);
        if (block.timestamp > deadline) {
            return (refused("expired", err(ISwapRouter.OrderExpired.selector, 0, deadline)), false);
        }
        if (!isFeeSigner(signer)) {
            return (refused("removed signer", abi.encodeWithSelector(ISwapRouter.NotFeeSigner.selector, signer)), false);
        }
        if (chosen.isUsed) {
            uint256 used = uint256(router.hashAuthorization(chosen.params, taker));
            return (refused("replayed", err(ISwapRouter.AuthorizationUsed.selector, used)), false);
        }
        if (chosen.isAmm) return ("", false);
        bytes4 failure;
        if (marks[chosen.order.id >> 8] & (1 << (chosen.order.id & 0xff)) != 0) {
            failure = ISwapRouter.OrderUsed.selector;
        } else if (chosen.order.signer != maker && !model.delegated) {
            failure = ISwapRouter.BadOrderSignature.selector;
        }
        if (failure == bytes4(0)) return ("", true);
        if (chosen.params.fallbackSwapDataArray.length != 0) return ("", false);
        string memory what = failure == ISwapRouter.OrderUsed.selector ? "used order" : "dismissed delegate";
        return (refused(what, abi.encodeWithSelector(ISwapRouter.OrderNotFilled.selector, 0, failure)), false);
    }

    function refused(string memory what, bytes memory reason) private returns (bytes memory) {
        ++count[what];
        return reason;
    }

    function isFeeSigner(address signer) private view returns (bool) {
        return signer == model.feeSigner || (signer == model.previousFeeSigner && block.timestamp < model.previousUntil);
    }

    /// @dev By the owner half of the time. Anybody else is refused, whoever it is.
    function pull(uint256 who, bytes memory lever) private returns (bool ok) {
        address actor = actorOf(who);
        vm.prank(actor);
        bytes memory answer;
        (ok, answer) = address(router).call(lever);
        vm.assertTrue(ok == (actor == model.owner), "levers are the owner's");
        if (!ok) vm.assertEq(answer, err(RouterAdmin.OnlyOwner.selector), "reason");
        ++count[ok ? "lever moved" : "lever refused"];
    }

    function actorOf(uint256 who) private view returns (address) {
        if (who % 2 == 0) return model.owner;
        return [
            owner, STRANGER, maker, taker, model.feeSigner, model.pendingOwner == COIN ? STRANGER : model.pendingOwner
        ][(who >> 8) % 6];
    }

    function remember(Quote memory chosen) private {
        address feeRecipient = chosen.params.widgetFee.feeRecipient;
        for (uint256 i; i < 4; ++i) {
            takerHad[i] = holds(taker, tokens[i]);
            recipientHad[i] = holds(recipient, tokens[i]);
            makerHad[i] = holds(maker, tokens[i]);
            widgetHad[i] = holds(feeRecipient, tokens[i]);
        }
    }

    /// @dev Everybody has exactly what the quote says: no gift is paid out or counts as bought.
    function compare(Quote memory chosen, uint256 amountOut, bool fills) private view {
        Order memory order = chosen.order;
        ExactInputParams memory params = chosen.params;
        address paid = params.toWrap ? COIN : order.sellerToken;
        address got = params.toUnwrap ? COIN : order.buyerToken;
        for (uint256 i; i < 4; ++i) {
            address token = tokens[i];
            uint256 amount = token == paid ? params.amountIn : 0;
            vm.assertEq(takerHad[i] - amount, holds(taker, token), "taker paid");
            amount = token == got ? amountOut : 0;
            vm.assertEq(recipientHad[i] + amount, holds(recipient, token), "recipient got");
            amount = token == order.sellerToken ? params.amountIn - order.sellerTokenAmount : 0;
            vm.assertEq(widgetHad[i] + amount, holds(params.widgetFee.feeRecipient, token), "fee");
            vm.assertLe(amount * 100, params.amountIn, "fee above its cap");
            uint256 makerHas = makerHad[i];
            if (fills && token == order.sellerToken) makerHas += order.sellerTokenAmount;
            if (fills && token == order.buyerToken) makerHas -= order.buyerTokenAmount;
            vm.assertEq(makerHas, holds(maker, token), "maker");
        }
    }

    function holds(address holder, address token) private view returns (uint256) {
        return token == COIN ? holder.balance : Token(token).balanceOf(holder);
    }

    function recent(uint256 draw) private view returns (Quote memory) {
        return quotes[recentIndex(draw)];
    }

    /// @dev The newest one half of the time, otherwise one of the six before it.
    function recentIndex(uint256 draw) private view returns (uint256) {
        uint256 back = draw % 2 == 0 ? 0 : (draw >> 1) % 7;
        return quotes.length > back ? quotes.length - 1 - back : 0;
    }

    function pairOf(uint256 which) private view returns (address) {
        return v2Factory.getPair(tokens[which % 3], tokens[(which % 3 + 1) % 3]);
    }

    function v3Pool() private view returns (address) {
        return v3Factory.getPool(address(weth), address(usdc), 500);
    }
}

contract LeversInvariantTest is Campaign {
    LeversHandler private handler;

    function setUp() public {
        handler = new LeversHandler();
        handler.setUp();
        bytes4[11] memory actions = [
            LeversHandler.nothing.selector,
            LeversHandler.passTime.selector,
            LeversHandler.donate.selector,
            LeversHandler.cancel.selector,
            LeversHandler.appoint.selector,
            LeversHandler.pause.selector,
            LeversHandler.unpause.selector,
            LeversHandler.rotate.selector,
            LeversHandler.offer.selector,
            LeversHandler.accept.selector,
            LeversHandler.rescue.selector
        ];
        for (uint256 i; i < actions.length; ++i) {
            aim(address(handler), actions[i]);
        }
    }

    function invariant_aQuoteBecomesWhatTheModelSays() public view {
        handler.check();
    }

    function afterInvariant() public view {
        vm.assertGe(handler.attempts(), 1, "nothing happened");
    }

    /// @dev A campaign in which nothing happens proves nothing.
    function test_everythingHappensOften() public {
        play(500);
        string[20] memory things = [
            "filled",
            "fell back",
            "sold to a pool",
            "paused",
            "expired",
            "removed signer",
            "replayed",
            "used order",
            "dismissed delegate",
            "old order asked for again",
            "given",
            "cancelled",
            "appointed",
            "dismissed",
            "appointed by a stranger",
            "lever moved",
            "lever refused",
            "rotated",
            "taken over",
            "rescued"
        ];
        for (uint256 i; i < things.length; ++i) {
            vm.assertGe(handler.count(things[i]), 5, things[i]);
        }
        vm.assertEq(handler.attempts(), 500, "one attempt after each action");
        handler.check();
    }
}
