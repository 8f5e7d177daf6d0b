// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Test} from "./Test.sol";

interface Permit2State {
    function nonceBitmap(address owner, uint256 wordPos) external view returns (uint256);
    function invalidateUnorderedNonces(uint256 wordPos, uint256 mask) external;
    function DOMAIN_SEPARATOR() external view returns (bytes32);
}

/// @dev The real Permit2, put where it is by the proxy that put it there on every chain.
abstract contract RealPermit2 is Test {
    Permit2State internal constant permit2 = Permit2State(0x000000000022D473030F116dDEE9F6B43aC78BA3);

    address private constant PROXY = 0x4e59b44847b379578588920cA78FbF26c0B4956C;
    bytes private constant PROXY_CODE =
        hex"7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";

    function deployPermit2() internal {
        string memory artifact = vm.readFile("artifacts/Permit2.json");
        bytes memory salt = vm.parseBytes(vm.parseJsonString(artifact, ".salt"));
        bytes memory code = vm.parseBytes(vm.parseJsonString(artifact, ".bytecode"));
        vm.etch(PROXY, PROXY_CODE);
        (bool ok,) = PROXY.call(bytes.concat(salt, code));
        require(ok && address(permit2).code.length > 0, "Permit2 is at its address");
    }
}
