export { type Amount, amountOf, show } from '../../core/amount.ts'
export {
  comparePrices,
  crossPrices,
  differencePpm,
  invertPrice,
  minimumAt,
  type Price,
  showPrice,
  worthAt,
} from '../../core/price.ts'
export { isNative, sameToken, type Token } from '../../core/token.ts'
export { fillsMax } from '../fillsMax.ts'
export { averagePrice } from './averagePrice.ts'
export { countSlot, isCounted, type SlotCount } from './countSlot.ts'
export { crossCheck } from './crossCheck.ts'
export { divideUp } from './divideUp.ts'
export { driftBenefit } from './driftBenefit.ts'
export type { Fields, Schema, Votes, Weight } from './fields.ts'
export { held } from './held.ts'
export { inflows } from './inflows.ts'
export { isApart } from './isApart.ts'
export { least } from './least.ts'
export { leastAmount } from './leastAmount.ts'
export { leftOf } from './leftOf.ts'
export { broughtBy, floorFor, type Market, sliceOf } from './market.ts'
export { matchTrades } from './matchTrades.ts'
export { middlePrice } from './middlePrice.ts'
export { most } from './most.ts'
export { onlyWith } from './onlyWith.ts'
export { type PortfolioPlan, planPortfolio } from './planPortfolio.ts'
export { planTrades } from './planTrades.ts'
export {
  type Asset,
  isBeyond,
  isOf,
  type Portfolio,
  showWeight,
  sumOf,
  wholeShare,
  worthOf,
} from './portfolio.ts'
export { readMarket } from './readMarket.ts'
export { readPortfolio } from './readPortfolio.ts'
export { shiftPrice } from './shiftPrice.ts'
export { showPercent } from './showPercent.ts'
export { showShare } from './showShare.ts'
export { sliceLegs } from './sliceLegs.ts'
export { sliceWithin } from './sliceWithin.ts'
export { soldSoFar } from './soldSoFar.ts'
export { type Tally, tally } from './tally.ts'
export { turnedOver } from './turnedOver.ts'
export { wordsFor } from './wordsFor.ts'
export { worthInto } from './worthInto.ts'
export {
  type Context,
  type Cron,
  type Decision,
  defineStrategy,
  type Every,
  type Fill,
  type Indication,
  type Inflight,
  type Intent,
  type Level,
  type Memory,
  type Own,
  postpone,
  remember,
  type Schedule,
  type Strategy,
  swap,
  type Total,
  type Watch,
  wait,
} from './strategy.ts'
