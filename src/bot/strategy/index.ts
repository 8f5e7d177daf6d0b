export { type Amount, amountOf, show } from '../../core/amount.ts'
export { divideUp } from '../../core/decimal.ts'
export {
  comparePrices,
  crossPrices,
  differencePpm,
  invertPrice,
  minimumAt,
  type Price,
  shiftPrice,
  showPrice,
  worthAt,
} from '../../core/price.ts'
export { isNative, sameToken, type Token } from '../../core/token.ts'
export { fillsMax } from '../fillsMax.ts'
export {
  countSwaps,
  cutToLimit,
  held,
  heldAbove,
  leftOf,
  maxOf,
  minAmount,
  minOf,
  swapMax,
  totalSold,
} from './amounts.ts'
export { band } from './band.ts'
export {
  basketKeys,
  basketRules,
  hubOf,
  notInHub,
  partsOf,
  tradesOf,
  watchesOf,
  weighedBy,
} from './basket.ts'
export { budget } from './budget.ts'
export { calendar, showInstant } from './calendar.ts'
export {
  countSlot,
  countVotes,
  isCounted,
  notePrice,
  recallPrice,
  type SlotCount,
  type VoteCount,
} from './counts.ts'
export { covariances } from './covariances.ts'
export { drift } from './drift.ts'
export type { Fields, ParamDoc, ParamsOf, Rules, Schema, Votes, Weight } from './fields.ts'
export { notZero } from './fields.ts'
export { interfaceVersion } from './interfaceVersion.ts'
export {
  broughtBy,
  floorFor,
  pricedByBook,
  readMarket,
  sliceOf,
  sliceWithin,
  type WatchedMarket,
  worthInto,
} from './market.ts'
export { order } from './order.ts'
export { type Aversion, driftBenefit, type PortfolioPlan, planPortfolio } from './planPortfolio.ts'
export {
  dailyTurnover,
  inflows,
  isBeyond,
  isOf,
  type Portfolio,
  type PortfolioAsset,
  readPortfolio,
  showWeight,
  sumOf,
  wholeShare,
  worthOf,
} from './portfolio.ts'
export {
  averagePrice,
  costsLess,
  crossCheck,
  deviatesBeyond,
  isOfPair,
  maxPrice,
  middlePrice,
  paying,
  showGap,
  showPercent,
  showShare,
  wordsFor,
  worthOfBought,
} from './prices.ts'
export { sliceLegs } from './sliceLegs.ts'
export {
  type AccountBalance,
  type Context,
  type Cron,
  type Decision,
  defineStrategy,
  type Every,
  type Fill,
  type Indication,
  type Inflight,
  type Intent,
  inFlight,
  type Level,
  type Memory,
  type Own,
  postpone,
  remember,
  type Schedule,
  type Strategy,
  swap,
  type Target,
  type Total,
  type Watch,
  type WatchedAccount,
  wait,
} from './strategy.ts'
export { type Tempo, tempoOf } from './tempo.ts'
export { planTrades } from './trades.ts'
