// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PriceFeed} from "../src/feeds/PriceFeed.sol";
import {Test} from "./support/Test.sol";

contract PriceFeedTest is Test {
    PriceFeed private feed;
    address private stranger = address(0xBEEF);

    function setUp() public {
        vm.warp(1_000);
        feed = new PriceFeed(8, "WETH / USD", 3_000e8);
    }

    function test_feed_beginsWithAnAnswer() public view {
        vm.assertEq(uint256(feed.decimals()), 8, "decimals");
        vm.assertEq(keccak256(bytes(feed.description())), keccak256("WETH / USD"), "description");
        vm.assertEq(feed.version(), 1, "version");
        _assertRound(1, 3_000e8, 1_000);
    }

    function test_feed_keepsEveryRound() public {
        vm.warp(2_000);
        feed.answerNow(3_001e8);
        _assertRound(2, 3_001e8, 2_000);
        feed.answerWith(-1, 5_000);
        _assertRound(3, -1, 5_000);
        (uint80 id, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredIn) = feed.getRoundData(1);
        vm.assertEq(uint256(id), 1, "first round");
        vm.assertEq(uint256(answer), 3_000e8, "first answer");
        vm.assertEq(startedAt, 1_000, "first start");
        vm.assertEq(updatedAt, 1_000, "first update");
        vm.assertEq(uint256(answeredIn), 1, "answered in the first");
    }

    function test_feed_announcesAnswers() public {
        vm.expectEmit(address(feed));
        emit PriceFeed.AnswerUpdated(7, 2, 9);
        feed.answerWith(7, 9);
    }

    function test_feed_hasNoOtherRounds() public {
        vm.expectRevert(PriceFeed.NoSuchRound.selector);
        feed.getRoundData(0);
        vm.expectRevert(PriceFeed.NoSuchRound.selector);
        feed.getRoundData(2);
    }

    function test_feed_onlyItsDeployerAnswers() public {
        vm.startPrank(stranger);
        vm.expectRevert(PriceFeed.OnlyAnswerer.selector);
        feed.answerNow(1);
        vm.expectRevert(PriceFeed.OnlyAnswerer.selector);
        feed.answerWith(1, 1_000);
        vm.stopPrank();
        _assertRound(1, 3_000e8, 1_000);
    }

    function _assertRound(uint80 expectedId, int256 expectedAnswer, uint256 since) private view {
        (uint80 id, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredIn) = feed.latestRoundData();
        vm.assertEq(uint256(id), uint256(expectedId), "round");
        vm.assertEq(uint256(answer), uint256(expectedAnswer), "answer");
        vm.assertEq(startedAt, since, "start");
        vm.assertEq(updatedAt, since, "update");
        vm.assertEq(uint256(answeredIn), uint256(expectedId), "answered in");
    }
}
