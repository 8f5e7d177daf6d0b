// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice One leg of a firm quote. A maker signs it as EIP-712 typed data with the fields in this order.
/// @dev Names follow the counterparty: `buyer` buys `sellerToken` from the caller and pays `buyerToken`.
///      A leg whose `buyer` is the executor is an AMM leg: nobody signs it and `buyerTokenAmount` is only the
///      expectation of the quote.
/// @param id Bit number in `nonceBitmap[buyer]`; an id fills at most once.
/// @param signer The key that signed: the buyer itself or a delegate it named with `setOrderSigner`. Zero on AMM legs.
/// @param buyer The maker whose funds pay for the leg, or the executor.
/// @param seller The taker; must be the caller.
/// @param buyerToken The token the taker receives from this leg.
/// @param sellerToken The token the taker gives in this leg.
/// @param buyerTokenAmount What the maker pays for the full leg.
/// @param sellerTokenAmount What the full leg sells.
/// @param caller The only address that may settle the order.
/// @param quoteId The same on every leg of a quote.
/// @param deadlineTimestamp The last second in which the order is valid.
struct Order {
    uint256 id;
    address signer;
    address buyer;
    address seller;
    address buyerToken;
    address sellerToken;
    uint256 buyerTokenAmount;
    uint256 sellerTokenAmount;
    address caller;
    bytes16 quoteId;
    uint256 deadlineTimestamp;
}

/// @notice An order with its maker's signature, empty on AMM legs.
struct SignedOrder {
    Order order;
    bytes signature;
}

/// @notice Who authorises the swap and what the integrator earns on it.
/// @param signer The service key that signed the authorisation; a current fee signer of the router.
/// @param feeRecipient Receives the fee, in the token sold.
/// @param feeRate Basis points of `amountIn`, at most `MAX_FEE_BPS`.
struct WidgetFee {
    address signer;
    address feeRecipient;
    uint256 feeRate;
}

/// @notice A firm quote as it is settled.
/// @param orders `abi.encode(SignedOrder[])` in canonical form, one to eight legs, in the order they run.
/// @param recipient Receives what is bought.
/// @param amountIn What the caller pays, fee included.
/// @param amountOutMinimum What the recipient must gain, or nothing happens.
/// @param toWrap The caller pays the native coin, sent as value; the first token sold is its wrapped form.
/// @param toUnwrap The recipient gets the native coin; the token bought is its wrapped form.
/// @param widgetFee The fee and the key that authorises the swap.
/// @param widgetFeeSignature The fee signer's signature over `hashAuthorization`.
/// @param fallbackSwapDataArray Empty, or one entry per leg: `abi.encode(uint8 kind, uint24 fee)` for the executor,
///        or no bytes for "this maker leg has no fallback".
struct ExactInputParams {
    bytes orders;
    address recipient;
    uint256 amountIn;
    uint256 amountOutMinimum;
    bool toWrap;
    bool toUnwrap;
    WidgetFee widgetFee;
    bytes widgetFeeSignature;
    bytes[] fallbackSwapDataArray;
}

/// @notice The caller's EIP-2612 signature over exactly `amountIn` of the token sold, for this router.
/// @param deadline The last second in which the token takes it.
struct Permit {
    uint256 deadline;
    uint8 v;
    bytes32 r;
    bytes32 s;
}

/// @notice The caller's signature for Permit2 over exactly `amountIn` of the token sold, for this router and this swap: its
///         witness is the digest of the authorisation.
/// @param nonce A bit of the caller's that Permit2 has not set.
/// @param deadline The last second in which Permit2 takes it.
struct Permit2Transfer {
    uint256 nonce;
    uint256 deadline;
    bytes signature;
}

/// @title Settlement of firm quotes.
interface ISwapRouter {
    /// @notice A firm quote settled.
    /// @param authorization The EIP-712 digest of the authorisation that was consumed.
    /// @param amountIn What the caller paid, fee included.
    /// @param amountOut What the recipient gained.
    event Swapped(
        bytes32 indexed authorization,
        address indexed caller,
        address indexed recipient,
        address tokenIn,
        address tokenOut,
        uint256 amountIn,
        uint256 amountOut,
        bytes16 quoteId
    );

    /// @notice A maker's order filled, in full or pro rata.
    event OrderFilled(
        address indexed buyer,
        uint256 id,
        bytes16 quoteId,
        address sellerToken,
        address buyerToken,
        uint256 sellerAmount,
        uint256 buyerAmount
    );

    /// @notice A maker's leg failed and its fallback was used. A maker for whom this repeats is taking a free last look.
    event FallbackUsed(address indexed buyer, uint256 id, bytes16 quoteId);

    /// @notice The integrator's fee was paid in the token sold.
    event WidgetFeePaid(address indexed feeRecipient, address token, uint256 amount, bytes16 quoteId);

    /// @notice What the route did not use of a token went back to the caller.
    event Refunded(address indexed caller, address token, uint256 amount, bytes16 quoteId);

    /// @notice A maker named or dismissed a key that may sign its orders.
    event SignerSet(address indexed buyer, address indexed signer, bool allowed);

    /// @notice A maker cancelled the order ids of `mask` in word `wordPos`.
    event NonceCancelled(address indexed buyer, uint256 wordPos, uint256 mask);

    /// @notice The owner stopped new swaps.
    error EntryPaused();
    /// @notice `orders` is not the one encoding of its content.
    error NotCanonical();
    /// @notice A route has one to `MAX_ORDERS` legs.
    error BadOrderCount(uint256 count);
    /// @notice There is neither no fallback entry at all nor exactly one per leg.
    error BadFallbackCount(uint256 count);
    /// @notice The recipient is zero, the router or its executor.
    error BadRecipient(address recipient);
    /// @notice The fee is above `MAX_FEE_BPS`.
    error FeeTooHigh(uint256 feeRate);
    /// @notice A minimum of zero protects nobody.
    error ZeroMinimum();
    /// @notice The order names another caller.
    error WrongCaller(uint256 leg);
    /// @notice The order names another seller than the caller.
    error WrongSeller(uint256 leg);
    /// @notice The order's last second has passed.
    error OrderExpired(uint256 leg, uint256 deadline);
    /// @notice The order belongs to another quote than the first one.
    error MixedQuotes(uint256 leg);
    /// @notice The order gives or takes nothing.
    error ZeroAmount(uint256 leg);
    /// @notice The leg sells a token that no earlier leg bought.
    error TokenNotHeld(uint256 leg, address token);
    /// @notice The leg sells the token the route ends with.
    error OutputSold(uint256 leg);
    /// @notice The leg buys the token the route starts with.
    error InputBought(uint256 leg);
    /// @notice The leg swaps a token for itself.
    error SameToken(uint256 leg);
    /// @notice The AMM leg names a signer, carries a signature, or has no entry for the executor.
    error BadAmmLeg(uint256 leg);
    /// @notice The legs that sell the input do not sell exactly the amount after the fee.
    error InputMismatch(uint256 sold, uint256 expected);
    /// @notice The native coin sent is not what the terms say.
    error WrongValue(uint256 value, uint256 expected);
    /// @notice The native coin needs no allowance, so no permit.
    error PermitOfNativeCoin();
    /// @notice This chain has no Permit2 at its address.
    error NoPermit2();
    /// @notice Native coin stands only for its wrapped form.
    error NotWrappedNative(address token);
    /// @notice The key is not, or no longer, a fee signer of this router.
    error NotFeeSigner(address signer);
    /// @notice The fee signer did not sign these terms for this caller.
    error BadAuthorization();
    /// @notice This firm quote settled already.
    error AuthorizationUsed(bytes32 authorization);
    /// @notice Too little gas is left to give the maker its fair chance before the fallback.
    error GasTooLow(uint256 leg);
    /// @notice The input ran short although the legs add up: its token takes more than it is told.
    error InputShort(uint256 leg);
    /// @notice Earlier legs sold all there was of the leg's token.
    error NothingToSell(uint256 leg);
    /// @notice The maker's leg failed and has no fallback.
    /// @dev `reason` is the selector of the error inside the leg, zero when it ran out of gas or gave none.
    error OrderNotFilled(uint256 leg, bytes4 reason);
    /// @notice The entry is not `abi.encode(uint8 kind, uint24 fee)`.
    error BadFallbackData();
    /// @notice The route yields, or the recipient gained, less than the minimum.
    error InsufficientOutput(uint256 amount, uint256 minimum);
    /// @notice The order's id was filled or cancelled.
    error OrderUsed(address buyer, uint256 id);
    /// @notice The order is not signed by its buyer or a delegate of its buyer.
    error BadOrderSignature(address signer);
    /// @notice Pro rata, the maker would pay nothing.
    error NothingBought();
    /// @notice Only the router itself may fill an order.
    error OnlySelf();
    /// @notice Native coin is taken from the wrapper only.
    error OnlyWrappedNative();

    /// @notice Settles a firm quote: sells exactly `amountIn` of the first token and delivers at least
    ///         `amountOutMinimum` of the last, or reverts as a whole.
    /// @return amountOut What the recipient gained.
    function exactInput(ExactInputParams calldata params) external payable returns (uint256 amountOut);

    /// @notice The same in one transaction with the allowance that it needs: the token sold is given the caller's permit
    ///         first. Owner, spender and amount are not the caller's to choose: the caller, this router, `amountIn`.
    /// @dev A permit that the token refuses is passed over, because whoever sees it can send it first: then the allowance
    ///      is there already. Where it is not, the input cannot be taken and nothing happens.
    /// @return amountOut What the recipient gained.
    function exactInputWithPermit(ExactInputParams calldata params, Permit calldata permit)
        external
        payable
        returns (uint256 amountOut);

    /// @notice The same with the input taken through Permit2, which the caller approved in place of this router. Token,
    ///         amount, receiver and owner are not the caller's to choose, and the signature is worth nothing for any other
    ///         swap than this one.
    /// @return amountOut What the recipient gained.
    function exactInputWithPermit2(ExactInputParams calldata params, Permit2Transfer calldata permit)
        external
        payable
        returns (uint256 amountOut);

    /// @notice Fills one maker order. Only the router calls it, on itself, so that a failing maker undoes only its leg.
    function fillOrder(Order calldata order, bytes calldata signature, uint256 sold) external;

    /// @notice Cancels the caller's own order ids whose bits are set in `mask`: id = wordPos * 256 + bit.
    function cancel(uint256 wordPos, uint256 mask) external;

    /// @notice Names or dismisses a key that may sign orders which spend the caller's funds.
    function setOrderSigner(address signer, bool allowed) external;

    /// @notice The EIP-712 digest a maker signs.
    function hashOrder(Order calldata order) external view returns (bytes32);

    /// @notice The EIP-712 digest the fee signer signs for `caller`; `widgetFeeSignature` is not part of it.
    function hashAuthorization(ExactInputParams calldata params, address caller) external view returns (bytes32);

    /// @notice True once a firm quote with this authorisation digest settled.
    function usedAuthorization(bytes32 authorization) external view returns (bool);

    /// @notice Filled and cancelled order ids of a maker, 256 to a word.
    function nonceBitmap(address buyer, uint256 wordPos) external view returns (uint256);

    /// @notice True when `signer` may sign orders of `buyer`.
    function orderSigner(address buyer, address signer) external view returns (bool);

    /// @notice The EIP-712 domain separator of this router on this chain.
    function domainSeparator() external view returns (bytes32);
}
