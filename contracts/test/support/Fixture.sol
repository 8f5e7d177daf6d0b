// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AmmExecutor} from "../../src/AmmExecutor.sol";
import {SwapRouter} from "../../src/SwapRouter.sol";
import {ExactInputParams, ISwapRouter, Order, SignedOrder, WidgetFee} from "../../src/interfaces/ISwapRouter.sol";
import {Token} from "../../src/tokens/Token.sol";
import {WrappedNative} from "../../src/tokens/WrappedNative.sol";
import {Uniswap} from "./Uniswap.sol";

/// @dev One market for all tests: WETH at 3000 USDC and 3000 DAI, a maker, a taker, and builders for quotes.
abstract contract Fixture is Uniswap {
    uint256 internal constant MAKER_KEY = 0xA11CE;
    uint256 internal constant FEE_KEY = 0xFEE;
    uint256 internal constant OWNER_KEY = 0x0E;
    uint256 internal constant NOW = 1_800_000_000;
    bytes16 internal constant QUOTE_ID = 0x0123456789abcdef0123456789abcdef;

    SwapRouter internal router;
    AmmExecutor internal executor;
    WrappedNative internal weth;
    Token internal usdc;
    Token internal dai;

    address internal maker = vm.addr(MAKER_KEY);
    address internal feeSigner = vm.addr(FEE_KEY);
    address internal owner = vm.addr(OWNER_KEY);
    address internal taker = address(0x7A6E5);
    address internal recipient = address(0x4EC1);
    address internal widget = address(0x31D6E7);

    uint256 internal nextId;

    function setUp() public virtual {
        vm.warp(NOW);
        deployUniswap();
        weth = WrappedNative(payable(built("WrappedNative", abi.encode("Wrapped Ether", "WETH"))));
        usdc = Token(built("Token", abi.encode("USD Coin", "USDC", 6)));
        dai = Token(built("Token", abi.encode("Dai", "DAI", 18)));
        router = deployRouter(address(v2Factory), address(v3Factory));
        executor = router.executor();

        addV2(weth, 1000e18, usdc, 3_000_000e6);
        addV2(usdc, 3_000_000e6, dai, 3_000_000e18);
        addV3(weth, 1000e18, usdc, 3_000_000e6, 500, 887270);

        fund(weth);
        fund(usdc);
        fund(dai);
        vm.deal(taker, 1000e18);
    }

    function deployRouter(address v2Factory_, address v3Factory_) internal returns (SwapRouter) {
        return SwapRouter(payable(built("SwapRouter", abi.encode(weth, v2Factory_, v3Factory_, owner, feeSigner))));
    }

    /// @dev Named by its file, because a test that says `new` gets what was compiled for tests, which is not optimised.
    function built(string memory name, bytes memory arguments) internal returns (address) {
        return vm.deployCode(string.concat("out/", name, ".sol/", name, ".json"), arguments);
    }

    /// @dev Taker and maker get plenty of `token` and let the router take it.
    function fund(Token token) internal {
        give(token, taker, 1_000_000 * 10 ** token.decimals());
        give(token, maker, 1_000_000 * 10 ** token.decimals());
        vm.prank(taker);
        token.approve(address(router), type(uint256).max);
        vm.prank(maker);
        token.approve(address(router), type(uint256).max);
    }

    function give(Token token, address to, uint256 amount) internal override {
        if (address(token) != address(weth)) return token.mint(to, amount);
        vm.deal(address(this), amount);
        weth.deposit{value: amount}();
        weth.transfer(to, amount);
    }

    function makerOrder(Token sold, uint256 soldAmount, Token bought, uint256 boughtAmount)
        internal
        returns (Order memory)
    {
        return Order({
            id: nextId++,
            signer: maker,
            buyer: maker,
            seller: taker,
            buyerToken: address(bought),
            sellerToken: address(sold),
            buyerTokenAmount: boughtAmount,
            sellerTokenAmount: soldAmount,
            caller: taker,
            quoteId: QUOTE_ID,
            deadlineTimestamp: NOW + 60
        });
    }

    function signed(Order memory order) internal view returns (SignedOrder memory) {
        return signedBy(MAKER_KEY, order);
    }

    function signedBy(uint256 key, Order memory order) internal view returns (SignedOrder memory) {
        return SignedOrder(order, signature(key, router.hashOrder(order)));
    }

    function ammLeg(Token sold, uint256 soldAmount, Token bought, uint256 boughtAmount)
        internal
        returns (SignedOrder memory leg)
    {
        leg.order = makerOrder(sold, soldAmount, bought, boughtAmount);
        leg.order.signer = address(0);
        leg.order.buyer = address(executor);
    }

    function v2() internal pure returns (bytes memory) {
        return abi.encode(uint8(2), uint24(3000));
    }

    function v3(uint24 fee) internal pure returns (bytes memory) {
        return abi.encode(uint8(3), fee);
    }

    function list(SignedOrder memory a) internal pure returns (SignedOrder[] memory legs) {
        legs = new SignedOrder[](1);
        legs[0] = a;
    }

    function list(SignedOrder memory a, SignedOrder memory b) internal pure returns (SignedOrder[] memory legs) {
        legs = new SignedOrder[](2);
        (legs[0], legs[1]) = (a, b);
    }

    function list(SignedOrder memory a, SignedOrder memory b, SignedOrder memory c)
        internal
        pure
        returns (SignedOrder[] memory legs)
    {
        legs = new SignedOrder[](3);
        (legs[0], legs[1], legs[2]) = (a, b, c);
    }

    function entries(bytes memory a) internal pure returns (bytes[] memory all) {
        all = new bytes[](1);
        all[0] = a;
    }

    function entries(bytes memory a, bytes memory b) internal pure returns (bytes[] memory all) {
        all = new bytes[](2);
        (all[0], all[1]) = (a, b);
    }

    /// @dev An authorised quote without fee and without native coin; change it and call `authorize` again.
    function quote(SignedOrder[] memory legs, uint256 amountIn, uint256 minimum)
        internal
        view
        returns (ExactInputParams memory params)
    {
        params.orders = abi.encode(legs);
        params.recipient = recipient;
        params.amountIn = amountIn;
        params.amountOutMinimum = minimum;
        params.widgetFee = WidgetFee(feeSigner, widget, 0);
        authorize(params);
    }

    /// @dev 1 WETH for 3000 USDC from the maker: the plainest swap there is.
    function plainQuote() internal returns (ExactInputParams memory) {
        return quote(list(signed(makerOrder(weth, 1e18, usdc, 3000e6))), 1e18, 3000e6);
    }

    function authorize(ExactInputParams memory params) internal view {
        params.widgetFeeSignature = signature(FEE_KEY, router.hashAuthorization(params, taker));
    }

    function signature(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function settle(ExactInputParams memory params) internal returns (uint256) {
        uint256 value = params.toWrap ? params.amountIn : 0;
        vm.prank(taker);
        return router.exactInput{value: value}(params);
    }

    /// @dev The gas of the call just made, kept under its kind in snapshots/Settlement.json. The test is marked `isolate`,
    ///      so that the call is a transaction of its own: it pays for its calldata, and nothing is warm before it.
    function noteGas(string memory kind) internal {
        vm.snapshotGasLastCall("Settlement", kind);
    }

    function settleRefused(ExactInputParams memory params, bytes memory reason) internal {
        uint256 value = params.toWrap ? params.amountIn : 0;
        vm.prank(taker);
        vm.expectRevert(reason);
        router.exactInput{value: value}(params);
    }

    function err(bytes4 selector) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector);
    }

    function err(bytes4 selector, uint256 a) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector, a);
    }

    function err(bytes4 selector, uint256 a, uint256 b) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(selector, a, b);
    }

    /// @dev I1: nothing stays behind.
    function assertHoldsNothing() internal view {
        address[2] memory holders = [address(router), address(executor)];
        for (uint256 i; i < 2; ++i) {
            vm.assertEq(weth.balanceOf(holders[i]), 0, "WETH stayed");
            vm.assertEq(usdc.balanceOf(holders[i]), 0, "USDC stayed");
            vm.assertEq(dai.balanceOf(holders[i]), 0, "DAI stayed");
            vm.assertEq(holders[i].balance, 0, "native coin stayed");
        }
    }
}
