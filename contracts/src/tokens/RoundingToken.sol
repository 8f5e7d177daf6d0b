// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Counts shares and shows amounts, as stETH does: a transfer moves a unit or two other than it was told.
/// @notice Its storage begins like `Token`'s and its code holds no immutables, so that a test can put the code in the
///         place of a token that is in use: what accounts held there are their shares from then on.
contract RoundingToken {
    string public name;
    string public symbol;
    uint256 public totalSupply;
    mapping(address holder => uint256) public sharesOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    /// @notice Amount for `SCALE` shares; zero stands for one each.
    uint256 public price;
    uint256 public decimals;
    /// @notice What a transfer takes beyond its amount, for a token that does more than round.
    uint256 public fee;

    uint256 private constant SCALE = 1e9;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed holder, address indexed spender, uint256 amount);

    error InsufficientBalance();
    error InsufficientAllowance();

    function balanceOf(address holder) external view returns (uint256) {
        return (sharesOf[holder] * _price()) / SCALE;
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

    /// @dev Rounds down, so the receiver may get less and the sender may lose less or more than the amount.
    function _move(address from, address to, uint256 amount) private {
        uint256 shares = (amount * SCALE) / _price();
        if (sharesOf[from] < shares + fee) revert InsufficientBalance();
        sharesOf[from] -= shares + fee;
        sharesOf[to] += shares;
        emit Transfer(from, to, amount);
    }

    function _price() private view returns (uint256) {
        return price == 0 ? SCALE : price;
    }
}
