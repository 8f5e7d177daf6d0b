// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "../../src/tokens/Token.sol";
import {Test} from "./Test.sol";

interface V2Factory {
    function createPair(address a, address b) external returns (address);
    function getPair(address a, address b) external view returns (address);
}

interface V2Pair {
    function mint(address to) external returns (uint256);
    function getReserves() external view returns (uint112, uint112, uint32);
}

interface V3Factory {
    function createPool(address a, address b, uint24 fee) external returns (address);
    function getPool(address a, address b, uint24 fee) external view returns (address);
}

interface V3Pool {
    function initialize(uint160 sqrtPriceX96) external;
    function mint(address to, int24 low, int24 high, uint128 liquidity, bytes calldata data)
        external
        returns (uint256, uint256);
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

/// @dev Real Uniswap, from its published bytecode, and real liquidity. The test contract mints the tokens.
abstract contract Uniswap is Test {
    V2Factory internal v2Factory;
    V3Factory internal v3Factory;

    Token private _token0;
    Token private _token1;

    function deployUniswap() internal {
        string memory v2 = vm.readFile("../node_modules/@uniswap/v2-core/build/UniswapV2Factory.json");
        bytes memory v2Code = vm.parseBytes(string.concat("0x", vm.parseJsonString(v2, ".bytecode")));
        v2Factory = V2Factory(_deploy(bytes.concat(v2Code, abi.encode(address(this)))));

        string memory v3 = vm.readFile(
            "../node_modules/@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json"
        );
        v3Factory = V3Factory(_deploy(vm.parseBytes(vm.parseJsonString(v3, ".bytecode"))));
    }

    function addV2(Token a, uint256 amountA, Token b, uint256 amountB) internal returns (address pair) {
        pair = v2Factory.createPair(address(a), address(b));
        give(a, pair, amountA);
        give(b, pair, amountB);
        V2Pair(pair).mint(address(this));
    }

    /// @dev Over the whole price range, so that the amounts behave like a v2 pair's reserves.
    function addV3(Token a, uint256 amountA, Token b, uint256 amountB, uint24 fee, int24 tick)
        internal
        returns (address pool)
    {
        pool = v3Factory.createPool(address(a), address(b), fee);
        bool inOrder = address(a) < address(b);
        (_token0, _token1) = inOrder ? (a, b) : (b, a);
        (uint256 amount0, uint256 amount1) = inOrder ? (amountA, amountB) : (amountB, amountA);
        V3Pool(pool).initialize(uint160(_sqrt((amount1 << 96) / amount0) << 48));
        V3Pool(pool).mint(address(this), -tick, tick, uint128(_sqrt(amount0 * amount1)), "");
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) public virtual {
        give(_token0, msg.sender, amount0);
        give(_token1, msg.sender, amount1);
    }

    /// @dev What a v2 pair pays for an input, written again here from the definition.
    function quoteV2(address tokenIn, address tokenOut, uint256 amountIn) internal view returns (uint256) {
        (uint256 r0, uint256 r1,) = V2Pair(v2Factory.getPair(tokenIn, tokenOut)).getReserves();
        (uint256 rIn, uint256 rOut) = tokenIn < tokenOut ? (r0, r1) : (r1, r0);
        return (amountIn * 997 * rOut) / (rIn * 1000 + amountIn * 997);
    }

    function give(Token token, address to, uint256 amount) internal virtual;

    function _deploy(bytes memory code) private returns (address made) {
        assembly {
            made := create(0, add(code, 0x20), mload(code))
        }
        require(made != address(0), "deployment failed");
    }

    function _sqrt(uint256 x) private pure returns (uint256 y) {
        uint256 next = (x + 1) / 2;
        y = x;
        while (next < y) {
            y = next;
            next = (x / next + next) / 2;
        }
    }
}
