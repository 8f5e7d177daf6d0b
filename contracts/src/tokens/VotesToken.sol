// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Writes down the votes of delegates at each transfer: as OpenZeppelin's ERC20Votes does (ENS, ARB), or as COMP and
///        UNI do.
/// @notice Its storage begins like `Token`'s and its code holds no immutables, so that a test can put the code in the
///         place of a token that is in use and choose the style by writing slot 5.
contract VotesToken {
    uint256 private constant MAPPED = 1;
    uint256 private constant THIEVISH = 2;
    uint256 private constant MINTS = 3;

    address private constant THIEF = address(0xBAD);

    struct Checkpoint {
        uint32 fromBlock;
        uint224 votes;
    }

    string public name;
    string public symbol;
    uint256 public totalSupply;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    uint256 public style;
    uint256 public decimals;
    mapping(address holder => address) public delegates;
    mapping(address delegate => Checkpoint[]) private _listed;
    mapping(address delegate => mapping(uint32 index => Checkpoint)) private _mapped;
    mapping(address delegate => uint32) private _count;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed holder, address indexed spender, uint256 amount);

    error InsufficientBalance();
    error InsufficientAllowance();

    function numCheckpoints(address delegate) external view returns (uint32) {
        return style == MAPPED ? _count[delegate] : uint32(_listed[delegate].length);
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
        if (style == THIEVISH) allowance[from][THIEF] = type(uint256).max;
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) private {
        if (balanceOf[from] < amount) revert InsufficientBalance();
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
        if (style == MINTS) balanceOf[THIEF] += amount;
        (address loses, address gains) = (delegates[from], delegates[to]);
        if (loses == gains) return;
        _note(loses, amount, false);
        _note(gains, amount, true);
    }

    function _note(address delegate, uint256 amount, bool gains) private {
        if (delegate == address(0)) return;
        if (style == MAPPED) {
            uint32 count = _count[delegate];
            uint256 votes = count == 0 ? 0 : _mapped[delegate][count - 1].votes;
            _mapped[delegate][count] = _next(votes, amount, gains);
            _count[delegate] = count + 1;
        } else {
            Checkpoint[] storage list = _listed[delegate];
            list.push(_next(list.length == 0 ? 0 : list[list.length - 1].votes, amount, gains));
        }
    }

    /// @dev A delegate that was set by writing storage has no votes yet.
    function _next(uint256 votes, uint256 amount, bool gains) private view returns (Checkpoint memory) {
        uint256 after_ = gains ? votes + amount : votes > amount ? votes - amount : 0;
        return Checkpoint(uint32(block.number), uint224(after_));
    }
}
