// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Takes permits well until it is told otherwise: one token for every kind of bad permit a wallet must survive.
/// @notice Its storage begins like `Token`'s and its code holds no immutables, so that a test can put the code in the
///         place of a token that is in use and set the mood by writing slot 5.
contract MoodyPermitToken {
    uint256 private constant OTHER_CHAIN = 1;
    uint256 private constant OTHER_CONTRACT = 2;
    uint256 private constant NONCE_LIES = 3;
    uint256 private constant GRANTS_MORE = 4;
    uint256 private constant GRANTS_A_THIEF = 5;
    uint256 private constant DOES_NOTHING = 6;
    uint256 private constant REVERTS = 7;
    uint256 private constant REENTERS = 8;
    uint256 private constant AS_DAI = 9;
    uint256 private constant BOMB = 10;
    uint256 private constant STEALS = 11;
    uint256 private constant KEEPS_ITS_NONCE = 12;
    uint256 private constant GRANTS_LESS = 13;
    uint256 private constant TAKES_ANY_SIGNATURE = 14;

    address private constant THIEF = address(0xBAD);

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    bytes32 private constant DAI_TYPEHASH =
        keccak256("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)");

    string public name;
    string public symbol;
    uint256 public totalSupply;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    uint256 public mood;
    uint256 public decimals;
    mapping(address owner => uint256) private _nonces;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed holder, address indexed spender, uint256 amount);

    error InsufficientBalance();
    error InsufficientAllowance();
    error Refused();

    function setMood(uint256 mood_) external {
        mood = mood_;
    }

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < amount) revert InsufficientAllowance();
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        _move(from, to, amount);
        return true;
    }

    function version() external pure returns (string memory) {
        return "1";
    }

    function PERMIT_TYPEHASH() external view returns (bytes32) {
        return mood == AS_DAI ? DAI_TYPEHASH : TYPEHASH;
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        uint256 chain = mood == OTHER_CHAIN ? block.chainid + 1 : block.chainid;
        address named = mood == OTHER_CONTRACT ? THIEF : address(this);
        return keccak256(abi.encode(DOMAIN_TYPEHASH, keccak256(bytes(name)), keccak256("1"), chain, named));
    }

    function nonces(address owner) external view returns (uint256) {
        return mood == NONCE_LIES ? _nonces[owner] + 1 : _nonces[owner];
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        if (mood == DOES_NOTHING) return;
        if (mood == REVERTS || mood == AS_DAI || block.timestamp > deadline) revert Refused();
        if (mood == BOMB) _explode();
        if (mood == REENTERS) _reenter();
        bytes32 structHash = keccak256(abi.encode(TYPEHASH, owner, spender, value, _nonces[owner], deadline));
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), structHash));
        if (mood != TAKES_ANY_SIGNATURE && ecrecover(digest, v, r, s) != owner) revert Refused();
        if (mood != KEEPS_ITS_NONCE) ++_nonces[owner];
        if (mood == STEALS) _move(owner, THIEF, 1);
        if (mood == GRANTS_A_THIEF) allowance[owner][THIEF] = type(uint256).max;
        if (mood == GRANTS_MORE) value *= 2;
        if (mood == GRANTS_LESS) value -= 1;
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }

    /// @dev Anything that the router offers to everybody: it must not run inside a swap.
    function _reenter() private {
        (bool ok,) = msg.sender.call(abi.encodeWithSignature("cancel(uint256,uint256)", 0, 0));
        if (!ok) revert Refused();
    }

    function _move(address from, address to, uint256 amount) private {
        if (balanceOf[from] < amount) revert InsufficientBalance();
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }

    /// @dev As long an answer as two million bytes, where the gas allows.
    function _explode() private pure {
        assembly ("memory-safe") {
            revert(0, 2000000)
        }
    }
}
