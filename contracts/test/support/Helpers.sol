// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "../../src/interfaces/IERC1271.sol";
import {Token} from "../../src/tokens/Token.sol";

/// @dev Does what a test tells it, and remembers how that ended. It accepts the native coin.
contract Puppet {
    uint256 public calls;
    bool public lastOk;
    bytes public lastAnswer;

    receive() external payable {}

    function act(address target, bytes calldata data) external {
        ++calls;
        (lastOk, lastAnswer) = target.call(data);
    }
}

/// @dev A maker that is a contract and agrees with one digest.
contract ContractMaker is IERC1271 {
    bytes32 public agreed;
    /// @dev It gives up early with less gas than this, as elaborate wallets do, and leaves the rest unspent.
    uint256 public gasNeeded;
    bytes4 public answer = IERC1271.isValidSignature.selector;

    function agree(bytes32 digest) external {
        agreed = digest;
    }

    function setGasNeeded(uint256 gas_) external {
        gasNeeded = gas_;
    }

    function setAnswer(bytes4 answer_) external {
        answer = answer_;
    }

    function approve(Token token, address spender) external {
        token.approve(spender, type(uint256).max);
    }

    function isValidSignature(bytes32 digest, bytes calldata) external view returns (bytes4) {
        require(gasleft() >= gasNeeded, "too little gas");
        return digest == agreed ? answer : bytes4(0);
    }
}

/// @dev Takes no native coin.
contract NoCoin {}

/// @dev Burns all gas it is given when somebody pays its victim.
contract GasBurnerToken is Token {
    address public victim;

    constructor() Token("Gas burner", "BURN", 18) {}

    function setVictim(address victim_) external {
        victim = victim_;
    }

    function _move(address from, address to, uint256 amount) internal override {
        while (to == victim) {}
        super._move(from, to, amount);
    }
}

/// @dev Fails transfers with an answer of 100,000 bytes.
contract BombToken is Token {
    bool public armed;

    constructor() Token("Bomb", "BOMB", 18) {}

    function setArmed(bool on) external {
        armed = on;
    }

    function _move(address from, address to, uint256 amount) internal override {
        if (armed) {
            assembly {
                revert(0, 100000)
            }
        }
        super._move(from, to, amount);
    }
}

/// @dev Takes 1 % more from the sender than was sent.
contract SenderFeeToken is Token {
    address public charged;

    constructor() Token("Sender fee", "SFEE", 18) {}

    function setCharged(address sender) external {
        charged = sender;
    }

    function _move(address from, address to, uint256 amount) internal override {
        if (from == charged) _burn(from, amount / 100);
        super._move(from, to, amount);
    }
}

/// @dev Loses 1 % of what one address receives.
contract LossyToken is Token {
    address public loser;

    constructor() Token("Lossy", "LOSS", 18) {}

    function setLoser(address receiver) external {
        loser = receiver;
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount);
        if (to == loser) _burn(to, amount / 100);
    }
}
