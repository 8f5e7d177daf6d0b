import { describe, expect, test } from 'vitest'
import * as sdk from '../../../src/bot/strategy/index.ts'
import {
  interfaceVersion,
  otherVersion,
  versionNamed,
} from '../../../src/bot/strategy/interfaceVersion.ts'

/** All that a strategy written for this version may import. */
const ofVersion = {
  '1.2.0': `amountOf averagePrice band basketKeys basketRules broughtBy budget calendar comparePrices costsLess countSlot
    countSwaps countVotes covariances crossCheck crossPrices cutToLimit dailyTurnover defineStrategy deviatesBeyond
    differencePpm divideUp drift driftBenefit fillsMax floorFor held heldAbove hubOf inFlight inflows interfaceVersion
    invertPrice isBeyond isCounted isNative isOf isOfPair leftOf maxOf maxPrice middlePrice minAmount minOf minimumAt
    notInHub notZero notePrice order partsOf paying planPortfolio planTrades postpone pricedByBook readMarket
    readPortfolio recallPrice remember sameToken shiftPrice show showGap showInstant showPercent showPrice showShare
    showWeight sliceLegs sliceOf sliceWithin sumOf swap swapMax tempoOf totalSold tradesOf wait watchesOf weighedBy
    wholeShare wordsFor worthAt worthInto worthOf worthOfBought`,
}

test('what #strategy offers is what its version stands for', () => {
  const names = Object.keys(sdk).sort().join(' ')
  const listed = Object.entries(ofVersion).find(([version]) => version === interfaceVersion)?.[1]
  expect(
    names,
    'a name that came takes a new second number of interfaceVersion, one that went a new first',
  ).toBe(listed?.split(/\s+/).sort().join(' '))
})

describe('the version that a strategy was written for', () => {
  test.each([undefined, '1.0.0', '1.4.0', '1.4.2', '1.4.9'])('%s is run by 1.4.2', (written) => {
    expect(otherVersion(written, '1.4.2')).toBeUndefined()
  })

  test.each([
    ['2.0.0', 'adapt the file or run the bot that it was written for'],
    ['0.9.0', 'adapt the file or run the bot that it was written for'],
    ['1.5.0', 'and this bot has 1.4.2: a newer bot runs it.'],
    ['1', "writtenFor is '1', which is no version: write for example '1.4.2'."],
    [1, "writtenFor is '1', which is no version: write for example '1.4.2'."],
    ['latest', "writtenFor is 'latest', which is no version"],
  ])('%s is refused by 1.4.2', (written, sentence) => {
    expect(otherVersion(written, '1.4.2')).toContain(sentence)
  })

  test('is read from the text where the file cannot be loaded', () => {
    expect(versionNamed("export default defineStrategy({\n  writtenFor: '2.0.0',\n})")).toBe(
      '2.0.0',
    )
    expect(versionNamed('export default defineStrategy({})')).toBeUndefined()
  })
})
