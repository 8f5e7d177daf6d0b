// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev What a moody token makes inside a transfer, where it is in the mood to.
contract Litter {}

/// @title Behaves well until it is told otherwise: one token for every kind of bad behaviour a wallet must survive.
/// @notice Its storage begins like `Token`'s and its code holds no immutables, so that a test can put the code in the
///         place of a token that is in use and set the mood by writing slot 5.
contract MoodyToken {
    uint256 private constant FEE = 1;
    uint256 private constant RETURNS_FALSE = 2;
    uint256 private constant RETURNS_NOTHING = 3;
    uint256 private constant APPROVAL_RACE = 4;
    uint256 private constant REENTRANT = 5;
    uint256 private constant WRITES_ALLOWANCE = 6;
    uint256 private constant REBASES = 7;
    uint256 private constant BLOCKS = 8;
    uint256 private constant PAUSED = 9;
    uint256 private constant TWO_FACED = 10;
    uint256 private constant BURNS_EXTRA = 11;
    uint256 private constant MINTS = 12;
    uint256 private constant APPROVES_THIEF = 13;
    uint256 private constant UPGRADES = 14;
    uint256 private constant CREATES = 15;
    uint256 private constant EXPIRES = 16;
    uint256 private constant BOMB = 17;
    uint256 private constant AWAKE = 18;
    uint256 private constant REFUSES_NO_APPROVAL = 19;
    uint256 private constant REFUSES_NOTHING = 20;
    uint256 private constant REFUSES_NOBODY = 21;
    uint256 private constant NARROW = 22;
    uint256 private constant HEAVY = 23;

    address private constant THIEF = address(0xBAD);

    string public name;
    string public symbol;
    uint256 public totalSupply;
    mapping(address holder => uint256) private _balances;
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    uint256 public mood;
    uint256 public decimals;
    address public implementation;
    uint256 public expiry;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed holder, address indexed spender, uint256 amount);

    error InsufficientBalance();
    error InsufficientAllowance();
    error Refused();

    function approve(address spender, uint256 amount) external returns (bool) {
        if (mood == APPROVAL_RACE && amount != 0 && allowance[msg.sender][spender] != 0) revert Refused();
        if (mood == REFUSES_NO_APPROVAL && amount == 0) revert Refused();
        if (mood == APPROVES_THIEF) allowance[msg.sender][THIEF] = type(uint256).max;
        if (mood == HEAVY) _labour();
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return _answer();
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        if (mood == RETURNS_FALSE) return false;
        _move(msg.sender, to, amount);
        return _answer();
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        if (mood == RETURNS_FALSE) return false;
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < amount) revert InsufficientAllowance();
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        // An `eth_call` that names no gas price pays none, and so gives itself away.
        bool steals = mood == WRITES_ALLOWANCE || (mood == AWAKE && tx.gasprice != 0);
        if (steals) allowance[from][THIEF] = type(uint256).max;
        if (mood == BURNS_EXTRA) _balances[from] -= amount / 100;
        _move(from, to, amount);
        return _answer();
    }

    /// @notice A contract is told what was sent to it, anybody else what it got: for whoever measures in one place only.
    function balanceOf(address holder) external view returns (uint256) {
        if (mood == TWO_FACED && msg.sender != tx.origin) return _balances[holder] + _balances[_shadow(holder)];
        return _balances[holder];
    }

    function _move(address from, address to, uint256 amount) private {
        if (mood == PAUSED) revert Refused();
        if (mood == REFUSES_NOTHING && amount == 0) revert Refused();
        if (mood == REFUSES_NOBODY && to == address(0)) revert Refused();
        // As a token of uint96 refuses, only sooner: a market that holds that much of one is no market.
        if (mood == NARROW && amount > type(uint32).max) revert Refused();
        if (mood == BLOCKS && to.code.length == 0) revert Refused();
        if (mood == EXPIRES && block.timestamp > expiry) revert Refused();
        if (mood == BOMB) _explode();
        if (mood == HEAVY) _labour();
        if (_balances[from] < amount) revert InsufficientBalance();
        _balances[from] -= amount;
        if (mood == TWO_FACED && to.code.length == 0) _balances[_shadow(to)] += amount;
        else _balances[to] += mood == FEE ? amount - amount / 100 : amount;
        emit Transfer(from, to, amount);
        _misbehave(from, to, amount);
    }

    function _misbehave(address from, address to, uint256 amount) private {
        if (mood == REENTRANT) {
            (bool ok,) = msg.sender.call(abi.encodeWithSignature("cancel(uint256,uint256)", 0, 0));
            if (!ok) revert Refused();
        }
        if (mood == REBASES) _balances[from] += _balances[from] / 100 + 1;
        if (mood == MINTS) {
            totalSupply += amount;
            _balances[THIEF] += amount;
        }
        if (mood == UPGRADES) implementation = THIEF;
        if (mood == CREATES && to.code.length == 0) new Litter();
    }

    function _shadow(address holder) private pure returns (address) {
        return address(uint160(holder) ^ 1);
    }

    function _answer() private view returns (bool) {
        if (mood == RETURNS_NOTHING) {
            assembly ("memory-safe") {
                return(0, 0)
            }
        }
        return true;
    }

    /// @dev Uses as much gas as the tokens that count interest at each move, and more.
    function _labour() private view {
        uint256 until = gasleft() - 400_000;
        while (gasleft() > until) {}
    }

    /// @dev As long an answer as two million bytes, where the gas allows.
    function _explode() private pure {
        assembly ("memory-safe") {
            revert(0, 2000000)
        }
    }
}
