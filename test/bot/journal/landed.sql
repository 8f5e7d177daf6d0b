BEGIN TRANSACTION;
CREATE TABLE allowance (
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        token text NOT NULL,
        spender text NOT NULL,
        wei text NOT NULL,
        swap_id text NOT NULL REFERENCES swap (id),
        at bigint NOT NULL,
        PRIMARY KEY (chain_id, wallet, token, spender)
      );
INSERT INTO "allowance" VALUES(31337,'0x00000000000000000000000000000000000000aa','0x00000000000000000000000000000000000000aa','0x00000000000000000000000000000000000000aa','1','sample-1',1795165208000);
CREATE TABLE attempt (
        hash text PRIMARY KEY,
        swap_id text NOT NULL REFERENCES swap (id),
        kind text NOT NULL CHECK (kind IN ('SWAP', 'APPROVE', 'CANCEL')),
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        nonce integer NOT NULL,
        raw text NOT NULL,
        "transaction" text NOT NULL,
        created_at bigint NOT NULL,
        sent_at_block integer,
        answer text,
        closed_at_block integer,
        gas_paid text
      , replaces text, verdict text, given_back_at bigint);
INSERT INTO "attempt" VALUES('0x39874cd2e864f7a8ede9027cb36fb0e171327744c81e7c101fb1d07c847eadcb','sample-1','APPROVE',31337,'0x00000000000000000000000000000000000000aa',0,'0x0273616d706c652d31415050524f5645','{"to":"0x00000000000000000000000000000000000000aa","data":"0x095ea7b300000000000000000000000000000000000000000000000000000000000000aa0000000000000000000000000000000000000000000000000000000000000001","value":"0","gas":"1","maxFeePerGas":"1","maxPriorityFeePerGas":"1","chainId":31337,"nonce":0}',1795165206000,9,'accepted',10,'42000',NULL,'accepted',NULL);
INSERT INTO "attempt" VALUES('0x7a2ea51868be6f895882460e0ad316283319d35843d06b5f6d2124e46e161195','sample-1','SWAP',31337,'0x00000000000000000000000000000000000000aa',1,'0x0273616d706c652d3153574150','{"to":"0x00000000000000000000000000000000000000aa","data":"0x","value":"0","gas":"1","maxFeePerGas":"1","maxPriorityFeePerGas":"1","chainId":31337,"nonce":1}',1795165210000,11,'accepted',NULL,NULL,NULL,'accepted',NULL);
INSERT INTO "attempt" VALUES('0xebad8edd84e63994b84976ea44241a6d8c0649914e5e5baabc800cead3ec6f60','sample-3','SWAP',31337,'0x00000000000000000000000000000000000000aa',2,'0x0273616d706c652d3353574150','{"to":"0x00000000000000000000000000000000000000aa","data":"0x","value":"0","gas":"1","maxFeePerGas":"1","maxPriorityFeePerGas":"1","chainId":31337,"nonce":2}',1795165221000,20,'accepted',NULL,NULL,NULL,'accepted',NULL);
INSERT INTO "attempt" VALUES('0x243bc50d9de75e0d67a8175fe56e0944c48c8fed4eaaccb5214fd71121716a8f','sample-3','SWAP',31337,'0x00000000000000000000000000000000000000aa',2,'0x0273616d706c652d335357415001','{"to":"0x00000000000000000000000000000000000000aa","data":"0x","value":"0","gas":"1","maxFeePerGas":"2","maxPriorityFeePerGas":"1","chainId":31337,"nonce":2}',1795165223000,NULL,NULL,NULL,NULL,'0xebad8edd84e63994b84976ea44241a6d8c0649914e5e5baabc800cead3ec6f60',NULL,NULL);
CREATE TABLE baseline (
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        token text NOT NULL,
        wei text NOT NULL,
        seq integer NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (chain_id, wallet, token)
      );
INSERT INTO "baseline" VALUES(31337,'0x00000000000000000000000000000000000000aa','0x1111111111111111111111111111111111111111','2000000000000000000',14,1795165216000);
INSERT INTO "baseline" VALUES(31337,'0x00000000000000000000000000000000000000aa','0x2222222222222222222222222222222222222222','3000',14,1795165216000);
CREATE TABLE decision (
        id integer PRIMARY KEY AUTOINCREMENT,
        strategy text NOT NULL,
        slot bigint NOT NULL,
        at bigint NOT NULL,
        kind text NOT NULL,
        reason text NOT NULL,
        context text NOT NULL,
        decision text NOT NULL
      , memory text, params_hash text);
INSERT INTO "decision" VALUES(1,'test',1795165200000,1795165203000,'swap','because','{"balances":[{"token":{"address":"0x1111111111111111111111111111111111111111","chainId":31337,"decimals":18,"symbol":"WETH"},"wei":"3000000000000000000"}],"depths":[],"fills":[],"indications":[{"bought":{"token":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"wei":"3000"},"route":["maker-a"],"sold":{"token":{"address":"0x1111111111111111111111111111111111111111","chainId":31337,"decimals":18,"symbol":"WETH"},"wei":"1"}}],"inflight":[],"now":1795165203000,"params":{"slice":{"token":{"address":"0x1111111111111111111111111111111111111111","chainId":31337,"decimals":18,"symbol":"WETH"},"wei":"1000000000000000000"}},"references":[null],"slot":1795165200000,"totals":[]}','{"intents":[{"buy":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"floor":{"token":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"wei":"2990"},"reason":"because","sell":{"token":{"address":"0x1111111111111111111111111111111111111111","chainId":31337,"decimals":18,"symbol":"WETH"},"wei":"1000000000000000000"}}],"kind":"swap","memory":{"turns":1}}','{"turns":1}','9bfde4dbd9f399c4ef84a13a4ae89f0187d16224a61077698e9cfb201f25aef4');
CREATE TABLE event (
        seq integer PRIMARY KEY AUTOINCREMENT,
        swap_id text NOT NULL,
        at bigint NOT NULL,
        type text NOT NULL,
        facts text NOT NULL
      , prev text NOT NULL DEFAULT '', hash text NOT NULL DEFAULT '');
INSERT INTO "event" VALUES(1,'lock 1',1795165201000,'LOCK_OPENED','{"code":"BY_OPERATOR","id":1,"kind":"pause","openedAt":1795165201000,"reason":"looking into it","scope":"strategy another"}','0000000000000000000000000000000000000000000000000000000000000000','f357896aff2efdb8529f794188ef5caae7c394827b2a6a1f01636d001f81be4e');
INSERT INTO "event" VALUES(2,'lock 2',1795165202000,'LOCK_OPENED','{"code":"BY_HAND","id":2,"kind":"halt","openedAt":1795165202000,"reason":"a test of the siren","scope":"all"}','f357896aff2efdb8529f794188ef5caae7c394827b2a6a1f01636d001f81be4e','a455e152b8c01ca76a37ce8d7a7730bbf07afaa60320204a7cbd210ef1267896');
INSERT INTO "event" VALUES(3,'lock 2',1795165203000,'LOCK_RELEASED','{"code":"BY_HAND","id":2,"kind":"halt","reason":"it sounds","scope":"all"}','a455e152b8c01ca76a37ce8d7a7730bbf07afaa60320204a7cbd210ef1267896','af3d250b07b37ef404bf15243e79a12200a30d5b3942297d36a27395d45dcd3f');
INSERT INTO "event" VALUES(4,'strategy test',1795165203000,'DECIDED','{"contextSha256":"e1c513855056982f3167ebb1ad19ae87c33d5cc8ee2fa775da6388b6f34a8348","intents":[{"buy":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"floor":{"token":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"wei":"2990"},"reason":"because","sell":{"token":{"address":"0x1111111111111111111111111111111111111111","chainId":31337,"decimals":18,"symbol":"WETH"},"wei":"1000000000000000000"}}],"slot":1795165200000}','af3d250b07b37ef404bf15243e79a12200a30d5b3942297d36a27395d45dcd3f','736fa1d3808caec8038687fe0b1522cecd272388adc455f88a9c6c6babff6cb7');
INSERT INTO "event" VALUES(5,'sample-1',1795165205000,'PLANNED','{"plan":{"expirySeconds":30,"intent":{"buy":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"floor":{"token":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"wei":"2990"},"reason":"because","sell":{"token":{"address":"0x1111111111111111111111111111111111111111","chainId":31337,"decimals":18,"symbol":"WETH"},"wei":"1000000000000000000"}},"key":"test:1795165200000:0","notional":{"token":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"wei":"3000"},"recipient":"0x00000000000000000000000000000000000000aa","slippageBps":10,"strategy":"test","swapId":"sample-1","wallet":"0x00000000000000000000000000000000000000aa"},"reason":"because"}','736fa1d3808caec8038687fe0b1522cecd272388adc455f88a9c6c6babff6cb7','488250bdc47f133572157baad702c65ceb0eb1af23dca1ddaac4d03eee309521');
INSERT INTO "event" VALUES(6,'sample-1',1795165206000,'APPROVING','{"hash":"0x39874cd2e864f7a8ede9027cb36fb0e171327744c81e7c101fb1d07c847eadcb","nonce":0}','488250bdc47f133572157baad702c65ceb0eb1af23dca1ddaac4d03eee309521','88fb606036d506e82c448ad1cd84039ca88cc9a7101df252b609cefff1bee184');
INSERT INTO "event" VALUES(7,'sample-1',1795165207000,'OFFERED','{"block":9,"hash":"0x39874cd2e864f7a8ede9027cb36fb0e171327744c81e7c101fb1d07c847eadcb","verdict":"accepted","words":"accepted"}','88fb606036d506e82c448ad1cd84039ca88cc9a7101df252b609cefff1bee184','437db1a8a274b3aedca5e381b426f5dd72eb5d7f2a017528fa170d8952c5cad9');
INSERT INTO "event" VALUES(8,'sample-1',1795165208000,'APPROVED','{"block":10,"blockHash":"0x0000000000000000000000000000000000000000000000000000000000000010","gas_paid":"42000","hash":"0x39874cd2e864f7a8ede9027cb36fb0e171327744c81e7c101fb1d07c847eadcb","success":true}','437db1a8a274b3aedca5e381b426f5dd72eb5d7f2a017528fa170d8952c5cad9','c13ad6307c7f123dfea4fa3ec4f8225694c7568160fa70a39d6c42c864aedff3');
INSERT INTO "event" VALUES(9,'sample-1',1795165209000,'VERIFIED','{"amountOut":"3000","authorization":"0x4444444444444444444444444444444444444444444444444444444444444444","bodySha256":"c10ac9dbc9405ae872f3980ff71e0b8eb36aaad97b199a67a60517c12b01ba70","checks":[{"actual":"1","expected":"1","name":"verify.a","ok":true}],"deadline":1000,"minimum":"2990","quoteId":"0xsample-1","simulation":{"approvalGas":"0","block":1,"feeMost":"100","gas":"1","gasPrice":"1","received":{"token":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"wei":"3000"},"spent":{"token":{"address":"0x1111111111111111111111111111111111111111","chainId":31337,"decimals":18,"symbol":"WETH"},"wei":"1000000000000000000"},"startedAt":0}}','c13ad6307c7f123dfea4fa3ec4f8225694c7568160fa70a39d6c42c864aedff3','0b729ba072d35a4d974545626febe2e0c8469129015d3ba36f0352229b6973d9');
INSERT INTO "event" VALUES(10,'sample-1',1795165210000,'SIGNED','{"hash":"0x7a2ea51868be6f895882460e0ad316283319d35843d06b5f6d2124e46e161195","nonce":1}','0b729ba072d35a4d974545626febe2e0c8469129015d3ba36f0352229b6973d9','39ea380e9bc247d371caa0b8131efb625c4a062a2ed9c7211f7ed75e7da50fd4');
INSERT INTO "event" VALUES(11,'sample-1',1795165211000,'SENT','{"block":11,"hash":"0x7a2ea51868be6f895882460e0ad316283319d35843d06b5f6d2124e46e161195","verdict":"accepted","words":"accepted"}','39ea380e9bc247d371caa0b8131efb625c4a062a2ed9c7211f7ed75e7da50fd4','da703f6f8a2ff39b8481629df0715f980234eaed0a3ffcc32cd7717c8943b3b0');
INSERT INTO "event" VALUES(12,'sample-1',1795165212000,'INCLUDED','{"block":12,"blockHash":"0x0000000000000000000000000000000000000000000000000000000000000012","hash":"0x7a2ea51868be6f895882460e0ad316283319d35843d06b5f6d2124e46e161195","success":true}','da703f6f8a2ff39b8481629df0715f980234eaed0a3ffcc32cd7717c8943b3b0','755cfa99dc609dd2029b2df25dc5a7cb7479145c004f766b61eb90398dc1bc82');
INSERT INTO "event" VALUES(13,'sample-1',1795165213000,'SETTLED','{"agrees":true,"gas_paid":"42000","gas_used":"21000","received":"3000","short":false,"sold":"1000000000000000000"}','755cfa99dc609dd2029b2df25dc5a7cb7479145c004f766b61eb90398dc1bc82','7fc1cdb819e8cde55937c245aaeb6581b3edc13f39f9fa12857c7025c6699c97');
INSERT INTO "event" VALUES(14,'strategy test',1795165215000,'SLOT_MISSED','{"calendar":"daily","reason":"it was off","slot":1795165200001,"slots":5,"upto":1795165200005}','7fc1cdb819e8cde55937c245aaeb6581b3edc13f39f9fa12857c7025c6699c97','aca50cdaa1de4b50ecc679c49348743fec106be077b9c55000f98917dbc114e3');
INSERT INTO "event" VALUES(15,'sample-2',1795165217000,'PLANNED','{"plan":{"expirySeconds":30,"intent":{"buy":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"floor":{"token":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"wei":"2990"},"reason":"because","sell":{"token":{"address":"0x1111111111111111111111111111111111111111","chainId":31337,"decimals":18,"symbol":"WETH"},"wei":"1000000000000000000"}},"key":"sample-key-2","recipient":"0x00000000000000000000000000000000000000aa","slippageBps":10,"strategy":"test","swapId":"sample-2","wallet":"0x00000000000000000000000000000000000000aa"},"reason":"because"}','aca50cdaa1de4b50ecc679c49348743fec106be077b9c55000f98917dbc114e3','53dca98258a8bc9caa1ba64138b7249402a3dc4d2dd43254c230385c92d9c6c4');
INSERT INTO "event" VALUES(16,'sample-2',1795165218000,'REJECTED','{"checks":[{"actual":"2","expected":"1","name":"policy.a","ok":false}],"code":"POLICY","reason":"Refused: policy.a."}','53dca98258a8bc9caa1ba64138b7249402a3dc4d2dd43254c230385c92d9c6c4','fae59baf4e333b3bf2ec7e1b056dda9a6e2ea2aff408daf043d5cef88c6dd3ba');
INSERT INTO "event" VALUES(17,'sample-3',1795165219000,'PLANNED','{"plan":{"expirySeconds":30,"intent":{"buy":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"floor":{"token":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"wei":"2990"},"reason":"because","sell":{"token":{"address":"0x1111111111111111111111111111111111111111","chainId":31337,"decimals":18,"symbol":"WETH"},"wei":"1000000000000000000"}},"key":"test:1795165200010:0","recipient":"0x00000000000000000000000000000000000000aa","slippageBps":10,"strategy":"test","swapId":"sample-3","wallet":"0x00000000000000000000000000000000000000aa"},"reason":"because"}','fae59baf4e333b3bf2ec7e1b056dda9a6e2ea2aff408daf043d5cef88c6dd3ba','2416240974329b7285b646daed0b4c13749b6dfbdaa4e5b02a68c9fffa6f4698');
INSERT INTO "event" VALUES(18,'sample-3',1795165220000,'VERIFIED','{"amountOut":"3000","authorization":"0x4444444444444444444444444444444444444444444444444444444444444444","bodySha256":"c10ac9dbc9405ae872f3980ff71e0b8eb36aaad97b199a67a60517c12b01ba70","checks":[{"actual":"1","expected":"1","name":"verify.a","ok":true}],"deadline":1000,"minimum":"2990","quoteId":"0xsample-3","simulation":{"approvalGas":"0","block":1,"feeMost":"100","gas":"1","gasPrice":"1","received":{"token":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"wei":"3000"},"spent":{"token":{"address":"0x1111111111111111111111111111111111111111","chainId":31337,"decimals":18,"symbol":"WETH"},"wei":"1000000000000000000"},"startedAt":0}}','2416240974329b7285b646daed0b4c13749b6dfbdaa4e5b02a68c9fffa6f4698','5f1fa8b2bce93d177538495581d8637436faddec5d4221bab1509457c8b98645');
INSERT INTO "event" VALUES(19,'sample-3',1795165221000,'SIGNED','{"hash":"0xebad8edd84e63994b84976ea44241a6d8c0649914e5e5baabc800cead3ec6f60","nonce":2}','5f1fa8b2bce93d177538495581d8637436faddec5d4221bab1509457c8b98645','ccb2274458f05a468f5d695864ea030384166ce475d5ba9ec62399bd774774ca');
INSERT INTO "event" VALUES(20,'sample-3',1795165222000,'SENT','{"block":20,"hash":"0xebad8edd84e63994b84976ea44241a6d8c0649914e5e5baabc800cead3ec6f60","verdict":"accepted","words":"accepted"}','ccb2274458f05a468f5d695864ea030384166ce475d5ba9ec62399bd774774ca','eed419133471d71f141cf26c52a2b3881ab45ef5947caf3ec4ca8dacc2420662');
INSERT INTO "event" VALUES(21,'sample-3',1795165223000,'SIGNED','{"hash":"0x243bc50d9de75e0d67a8175fe56e0944c48c8fed4eaaccb5214fd71121716a8f","nonce":2,"replaces":"0xebad8edd84e63994b84976ea44241a6d8c0649914e5e5baabc800cead3ec6f60"}','eed419133471d71f141cf26c52a2b3881ab45ef5947caf3ec4ca8dacc2420662','193664652524e81356e3156a006549cd71fda683d9ffad27db57e4a2927c247f');
CREATE TABLE journal_kind (
        id integer PRIMARY KEY CHECK (id = 1),
        kind text NOT NULL CHECK (kind IN ('live', 'paper'))
      );
INSERT INTO "journal_kind" VALUES(1,'live');
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO "kysely_migration" VALUES('0001-first','2026-11-22T08:53:13.037Z');
INSERT INTO "kysely_migration" VALUES('0002-locks','2026-11-22T08:53:13.038Z');
INSERT INTO "kysely_migration" VALUES('0003-audit','2026-11-22T08:53:13.039Z');
INSERT INTO "kysely_migration" VALUES('0004-baseline','2026-11-22T08:53:13.040Z');
INSERT INTO "kysely_migration" VALUES('0005-notional','2026-11-22T08:53:13.041Z');
INSERT INTO "kysely_migration" VALUES('0006-short','2026-11-22T08:53:13.042Z');
INSERT INTO "kysely_migration" VALUES('0007-signed-at','2026-11-22T08:53:13.043Z');
INSERT INTO "kysely_migration" VALUES('0008-attempts','2026-11-22T08:53:13.044Z');
INSERT INTO "kysely_migration" VALUES('0009-lease','2026-11-22T08:53:13.045Z');
INSERT INTO "kysely_migration" VALUES('0010-indexes','2026-11-22T08:53:13.046Z');
INSERT INTO "kysely_migration" VALUES('0011-reconciled','2026-11-22T08:53:13.047Z');
INSERT INTO "kysely_migration" VALUES('0012-strategies','2026-11-22T08:53:13.048Z');
INSERT INTO "kysely_migration" VALUES('0013-paper','2026-11-22T08:53:13.049Z');
INSERT INTO "kysely_migration" VALUES('0014-reading','2026-11-22T08:53:13.050Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO "kysely_migration_lock" VALUES('migration_lock',0);
CREATE TABLE lock (
        id integer PRIMARY KEY AUTOINCREMENT,
        kind text NOT NULL CHECK (kind IN ('pause', 'drain', 'halt', 'breaker')),
        scope text NOT NULL,
        code text NOT NULL,
        reason text NOT NULL,
        opened_at bigint NOT NULL,
        expires_at bigint,
        released_at bigint,
        released_reason text,
        CHECK ((released_at IS NULL) = (released_reason IS NULL)),
        CHECK (released_reason IS NULL OR trim(released_reason) <> '')
      );
INSERT INTO "lock" VALUES(1,'pause','strategy another','BY_OPERATOR','looking into it',1795165201000,NULL,NULL,NULL);
INSERT INTO "lock" VALUES(2,'halt','all','BY_HAND','a test of the siren',1795165202000,NULL,1795165203000,'it sounds');
CREATE TABLE paper_balance (
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        token text NOT NULL,
        opening text NOT NULL,
        origin text NOT NULL CHECK (origin IN ('wallet', 'given')),
        wei text NOT NULL CHECK (wei NOT LIKE '-%'),
        opened_at bigint NOT NULL,
        PRIMARY KEY (chain_id, wallet, token)
      );
CREATE TABLE quote (
        swap_id text PRIMARY KEY REFERENCES swap (id),
        chain_id integer NOT NULL,
        router text NOT NULL,
        quote_id text NOT NULL,
        "authorization" text NOT NULL,
        deadline integer NOT NULL,
        amount_out text NOT NULL,
        minimum text NOT NULL,
        body text NOT NULL,
        checks text NOT NULL,
        simulation text NOT NULL,
        UNIQUE (chain_id, router, quote_id)
      );
INSERT INTO "quote" VALUES('sample-1',31337,'0x3333333333333333333333333333333333333333','0xsample-1','0x4444444444444444444444444444444444444444444444444444444444444444',1000,'3000','2990','{"quote":1}','[{"actual":"1","expected":"1","name":"verify.a","ok":true}]','{"appraisal":{"absent":[],"askedAt":0,"references":[]},"approvalGas":"0","block":1,"feeMost":"100","gas":"1","gasPrice":"1","received":{"token":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"wei":"3000"},"receivedAt":0,"requestedAt":0,"spent":{"token":{"address":"0x1111111111111111111111111111111111111111","chainId":31337,"decimals":18,"symbol":"WETH"},"wei":"1000000000000000000"},"startedAt":0}');
INSERT INTO "quote" VALUES('sample-3',31337,'0x3333333333333333333333333333333333333333','0xsample-3','0x4444444444444444444444444444444444444444444444444444444444444444',1000,'3000','2990','{"quote":1}','[{"actual":"1","expected":"1","name":"verify.a","ok":true}]','{"appraisal":{"absent":[],"askedAt":0,"references":[]},"approvalGas":"0","block":1,"feeMost":"100","gas":"1","gasPrice":"1","received":{"token":{"address":"0x2222222222222222222222222222222222222222","chainId":31337,"decimals":18,"symbol":"USDC"},"wei":"3000"},"receivedAt":0,"requestedAt":0,"spent":{"token":{"address":"0x1111111111111111111111111111111111111111","chainId":31337,"decimals":18,"symbol":"WETH"},"wei":"1000000000000000000"},"startedAt":0}');
CREATE TABLE reconciled (
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        block integer NOT NULL,
        seq integer NOT NULL,
        hash text NOT NULL,
        at bigint NOT NULL,
        limits text NOT NULL,
        PRIMARY KEY (chain_id, wallet)
      );
INSERT INTO "reconciled" VALUES(31337,'0x00000000000000000000000000000000000000aa',13,14,'aca50cdaa1de4b50ecc679c49348743fec106be077b9c55000f98917dbc114e3',1795165216000,'sample');
CREATE TABLE refusal (
        id integer PRIMARY KEY AUTOINCREMENT,
        decision bigint NOT NULL,
        strategy text NOT NULL,
        code text NOT NULL,
        reason text NOT NULL,
        at bigint NOT NULL
      );
INSERT INTO "refusal" VALUES(1,1,'test','POLICY_PAIR','not that pair',1795165204000);
CREATE TABLE slot (
        strategy text NOT NULL,
        slot bigint NOT NULL,
        upto bigint NOT NULL,
        slots integer NOT NULL,
        state text NOT NULL CHECK (state IN ('done', 'passed', 'missed', 'failed')),
        reason text NOT NULL,
        calendar text,
        at bigint NOT NULL,
        PRIMARY KEY (strategy, slot),
        CHECK (upto >= slot)
      );
INSERT INTO "slot" VALUES('test',1795165200000,1795165200000,1,'done','because','daily',1795165214000);
INSERT INTO "slot" VALUES('test',1795165200001,1795165200005,5,'missed','it was off','daily',1795165215000);
CREATE TABLE strategy_total (
        strategy text NOT NULL,
        chain_id integer NOT NULL,
        sell_token text NOT NULL,
        buy_token text NOT NULL,
        sell text NOT NULL,
        buy text NOT NULL,
        sold text NOT NULL,
        received text NOT NULL,
        swaps integer NOT NULL,
        PRIMARY KEY (strategy, chain_id, sell_token, buy_token)
      );
INSERT INTO "strategy_total" VALUES('test',31337,'0x1111111111111111111111111111111111111111','0x2222222222222222222222222222222222222222','{"chainId":31337,"address":"0x1111111111111111111111111111111111111111","symbol":"WETH","decimals":18}','{"chainId":31337,"address":"0x2222222222222222222222222222222222222222","symbol":"USDC","decimals":18}','1000000000000000000','3000',1);
CREATE TABLE swap (
        id text PRIMARY KEY,
        key text NOT NULL UNIQUE,
        strategy text NOT NULL,
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        plan text NOT NULL,
        sell_token text NOT NULL,
        amount_in text NOT NULL,
        state text NOT NULL,
        version integer NOT NULL,
        code text,
        reason text,
        nonce integer,
        deadline integer,
        included_hash text,
        included_block integer,
        included_block_hash text,
        sold text,
        received text,
        gas_used text,
        gas_paid text,
        agrees integer,
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL, "buy_token" text, "notional" text, "notional_unit" text, short integer, signed_at bigint, slot bigint, slot_try integer,
        CHECK (state IN ('PLANNED', 'VERIFIED', 'SIGNED', 'SENT', 'INCLUDED', 'CANCELLING',
          'SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'DISPLACED', 'REJECTED', 'ABANDONED')),
        CHECK (state NOT IN ('SIGNED', 'SENT', 'INCLUDED', 'CANCELLING') OR (nonce IS NOT NULL AND deadline IS NOT NULL)),
        CHECK (state NOT IN ('PLANNED', 'VERIFIED', 'REJECTED', 'ABANDONED') OR nonce IS NULL),
        CHECK (state NOT IN ('INCLUDED', 'SETTLED', 'REVERTED', 'EXPIRED_DEAD') OR
          (included_hash IS NOT NULL AND included_block IS NOT NULL AND included_block_hash IS NOT NULL)),
        CHECK ((state = 'SETTLED') = (sold IS NOT NULL AND received IS NOT NULL)),
        CHECK (state NOT IN ('REJECTED', 'ABANDONED', 'DISPLACED') OR reason IS NOT NULL)
      );
INSERT INTO "swap" VALUES('sample-1','test:1795165200000:0','test',31337,'0x00000000000000000000000000000000000000aa','{"swapId":"sample-1","key":"test:1795165200000:0","strategy":"test","intent":{"sell":{"token":{"chainId":31337,"address":"0x1111111111111111111111111111111111111111","symbol":"WETH","decimals":18},"wei":"1000000000000000000"},"buy":{"chainId":31337,"address":"0x2222222222222222222222222222222222222222","symbol":"USDC","decimals":18},"floor":{"token":{"chainId":31337,"address":"0x2222222222222222222222222222222222222222","symbol":"USDC","decimals":18},"wei":"2990"},"reason":"because"},"wallet":"0x00000000000000000000000000000000000000aa","recipient":"0x00000000000000000000000000000000000000aa","slippageBps":10,"expirySeconds":30,"notional":{"token":{"chainId":31337,"address":"0x2222222222222222222222222222222222222222","symbol":"USDC","decimals":18},"wei":"3000"}}','0x1111111111111111111111111111111111111111','1000000000000000000','SETTLED',6,NULL,NULL,1,1000,'0x7a2ea51868be6f895882460e0ad316283319d35843d06b5f6d2124e46e161195',12,'0x0000000000000000000000000000000000000000000000000000000000000012','1000000000000000000','3000','21000','42000',1,1795165205000,1795165213000,'0x2222222222222222222222222222222222222222','3000','0x2222222222222222222222222222222222222222',0,1795165210000,1795165200000,0);
INSERT INTO "swap" VALUES('sample-2','sample-key-2','test',31337,'0x00000000000000000000000000000000000000aa','{"swapId":"sample-2","key":"sample-key-2","strategy":"test","intent":{"sell":{"token":{"chainId":31337,"address":"0x1111111111111111111111111111111111111111","symbol":"WETH","decimals":18},"wei":"1000000000000000000"},"buy":{"chainId":31337,"address":"0x2222222222222222222222222222222222222222","symbol":"USDC","decimals":18},"floor":{"token":{"chainId":31337,"address":"0x2222222222222222222222222222222222222222","symbol":"USDC","decimals":18},"wei":"2990"},"reason":"because"},"wallet":"0x00000000000000000000000000000000000000aa","recipient":"0x00000000000000000000000000000000000000aa","slippageBps":10,"expirySeconds":30}','0x1111111111111111111111111111111111111111','1000000000000000000','REJECTED',2,'POLICY','Refused: policy.a.',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795165217000,1795165218000,'0x2222222222222222222222222222222222222222',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "swap" VALUES('sample-3','test:1795165200010:0','test',31337,'0x00000000000000000000000000000000000000aa','{"swapId":"sample-3","key":"test:1795165200010:0","strategy":"test","intent":{"sell":{"token":{"chainId":31337,"address":"0x1111111111111111111111111111111111111111","symbol":"WETH","decimals":18},"wei":"1000000000000000000"},"buy":{"chainId":31337,"address":"0x2222222222222222222222222222222222222222","symbol":"USDC","decimals":18},"floor":{"token":{"chainId":31337,"address":"0x2222222222222222222222222222222222222222","symbol":"USDC","decimals":18},"wei":"2990"},"reason":"because"},"wallet":"0x00000000000000000000000000000000000000aa","recipient":"0x00000000000000000000000000000000000000aa","slippageBps":10,"expirySeconds":30}','0x1111111111111111111111111111111111111111','1000000000000000000','SIGNED',5,NULL,NULL,2,2000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795165219000,1795165223000,'0x2222222222222222222222222222222222222222',NULL,NULL,NULL,1795165221000,1795165200010,0);
CREATE TABLE wallet (
        chain_id integer NOT NULL,
        address text NOT NULL,
        next_nonce integer NOT NULL,
        halted text, adopted_nonce integer,
        PRIMARY KEY (chain_id, address)
      );
INSERT INTO "wallet" VALUES(31337,'0x00000000000000000000000000000000000000aa',3,NULL,0);
CREATE TABLE wallet_lease (
        chain_id integer NOT NULL,
        address text NOT NULL,
        holder text NOT NULL,
        epoch integer NOT NULL,
        expires_at bigint NOT NULL,
        PRIMARY KEY (chain_id, address)
      );
CREATE UNIQUE INDEX one_live_swap_per_wallet ON swap (chain_id, wallet)
      WHERE state IN ('SIGNED', 'SENT', 'INCLUDED', 'CANCELLING');
CREATE INDEX open_swaps ON swap (created_at)
      WHERE state IN ('PLANNED', 'VERIFIED', 'SIGNED', 'SENT', 'INCLUDED', 'CANCELLING');
CREATE INDEX swaps_by_time ON swap (created_at, id);
CREATE INDEX swaps_by_strategy ON swap (strategy, created_at);
CREATE INDEX attempts_of_swap ON attempt (swap_id);
CREATE INDEX decisions_of_strategy ON decision (strategy, id);
CREATE INDEX events_of_swap ON event (swap_id, seq);
CREATE INDEX live_locks ON lock (id) WHERE released_at IS NULL;
CREATE INDEX signed_by_wallet ON swap (chain_id, wallet, signed_at);
CREATE UNIQUE INDEX one_open_approval_per_wallet ON attempt (chain_id, wallet)
      WHERE kind = 'APPROVE' AND closed_at_block IS NULL AND replaces IS NULL;
CREATE UNIQUE INDEX replaced_once ON attempt (replaces) WHERE replaces IS NOT NULL;
CREATE INDEX locks_of_log ON event (seq)
      WHERE type IN ('LOCK_OPENED', 'LOCK_RELEASED');
CREATE INDEX open_approvals ON attempt (swap_id)
      WHERE kind = 'APPROVE' AND closed_at_block IS NULL;
CREATE INDEX attempts_of_wallet ON attempt (wallet, created_at);
CREATE INDEX attempts_of_nonce ON attempt (chain_id, wallet, nonce);
CREATE INDEX ends_of_strategy ON swap (strategy, updated_at, id);
CREATE INDEX ends_of_wallet ON swap (wallet, updated_at, id);
CREATE INDEX swaps_of_pair ON swap (strategy, sell_token, buy_token, created_at);
CREATE INDEX notes_of_wallet ON event (swap_id, seq)
      WHERE type IN ('BROKEN', 'RELEASED');
CREATE UNIQUE INDEX one_purpose_per_nonce ON attempt (chain_id, wallet, nonce)
      WHERE kind <> 'CANCEL' AND replaces IS NULL AND given_back_at IS NULL;
CREATE INDEX refusals_of_decision ON refusal (decision, id);
CREATE INDEX refusals_by_time ON refusal (at);
CREATE INDEX swaps_of_slot ON swap (strategy, slot) WHERE slot IS NOT NULL;
CREATE INDEX settled_swaps ON swap (created_at) WHERE state = 'SETTLED';
CREATE INDEX settled_of_strategy ON swap (strategy, created_at) WHERE state = 'SETTLED';
CREATE INDEX decisions_by_slot ON decision (strategy, slot, id);
CREATE INDEX decisions_by_time ON decision (at, id);
CREATE INDEX undone_slots ON slot (at) WHERE state IN ('missed', 'failed');
CREATE INDEX moves_of_log ON event (seq)
      WHERE type IN ('SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'APPROVED', 'PAID_IN');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('lock',2);
INSERT INTO "sqlite_sequence" VALUES('event',21);
INSERT INTO "sqlite_sequence" VALUES('decision',1);
INSERT INTO "sqlite_sequence" VALUES('refusal',1);
COMMIT;
