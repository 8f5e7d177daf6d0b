/** A configuration with every key, one key per line where a test changes it. */
export const goodYaml = `chain:
  name: local
  chainId: 31337
  currency: ETH
  rpcUrl: http://127.0.0.1:8545
  confirmations: 2
service:
  url: http://127.0.0.1:8546
  router: "0x5FbDB2315678afecb367f032d93F642f64180aa3"
  routerCodeHash: "0xABababababababababababababababababababababababababababababababab"
  executor: "0x5fbdb2315678afecb367f032d93f642f64180aa4"
  feeSigner: "0x5fbdb2315678afecb367f032d93f642f64180aa5"
  makers: ["0x5fbdb2315678afecb367f032d93f642f64180aa6"]
tokens:
  WETH: { address: "0x5fbdb2315678afecb367f032d93f642f64180aa7", decimals: 18, wrapsNative: true }
  USDC: { address: "0x5fbdb2315678afecb367f032d93f642f64180aa8", decimals: 6 }
wallet: { name: treasury, address: "0x5fbdb2315678afecb367f032d93f642f64180aa9" }
quote: { expiry: 30s, slippage: 10 bps, timeout: 3s }
policy:
  tokens: [ETH, WETH, USDC]
  pairs: [WETH/USDC]
  recipients: []
  perSwap: [5 WETH, 5 ETH, 15000 USDC]
  perDay: [200 WETH, 200 ETH, 600000 USDC]
  notional: { perSwap: 20000 USD, perHour: 100000 USD, perDay: 600000 USD, perStrategy: 600000 USD }
  maxDeviation: 100 bps
  maxGasCost: 100 bps
  cooldown: 0s
  maxSlippage: 50 bps
  maxFee: 10 bps
  maxGasPrice: 200 gwei
  maxGas: "1500000"
  minTimeToDeadline: 8s
strategies:
  - name: sell-strength
    use: threshold
    params: { sell: 1 WETH, buy: USDC, price: 2950 USDC, every: 5s }
database: sqlite:./ballast.db
dashboard: { host: 127.0.0.1, port: 8787 }
logLevel: info
`
