// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A price feed for the sandbox and the tests, read like any AggregatorV3; only its deployer answers.
contract PriceFeed {
    struct Round {
        int256 answer;
        uint256 updatedAt;
    }

    uint256 public constant version = 1;
    address public immutable answerer;
    uint8 public immutable decimals;
    string public description;
    uint80 private _latest;
    mapping(uint80 id => Round) private _rounds;

    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    error OnlyAnswerer();
    error NoSuchRound();

    constructor(uint8 decimals_, string memory description_, int256 answer) {
        decimals = decimals_;
        description = description_;
        answerer = msg.sender;
        _record(answer, block.timestamp);
    }

    /// @dev Nothing is refused here: tests make it lie in every way a feed can.
    function answerWith(int256 answer, uint256 updatedAt) external {
        if (msg.sender != answerer) revert OnlyAnswerer();
        _record(answer, updatedAt);
    }

    /// @dev As of the block it is mined in, which its signer cannot know.
    function answerNow(int256 answer) external {
        if (msg.sender != answerer) revert OnlyAnswerer();
        _record(answer, block.timestamp);
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return getRoundData(_latest);
    }

    function getRoundData(uint80 id)
        public
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        if (id == 0 || id > _latest) revert NoSuchRound();
        Round storage round = _rounds[id];
        return (id, round.answer, round.updatedAt, round.updatedAt, id);
    }

    function _record(int256 answer, uint256 updatedAt) private {
        uint80 id = ++_latest;
        _rounds[id] = Round(answer, updatedAt);
        emit AnswerUpdated(answer, id, updatedAt);
    }
}
