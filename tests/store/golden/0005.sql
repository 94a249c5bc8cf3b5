BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0005');
CREATE TABLE blobs (
	hash TEXT NOT NULL, 
	body BLOB NOT NULL, 
	PRIMARY KEY (hash)
);
INSERT INTO "blobs" VALUES('483457c408b4ed6566f72170870ff28ecb0d650c9db6ae8cb348aec40a2122e4',X'789C9DDC3F0A1D0514C5616B57318862E93BE7BC7F13C495D88945208818BB10C846826211740F76EEC4C24E7009E212FC1670ABF763DECCC7E5BE7AF9DDB7C7E5C5F1C76F7FFDFECB3F3F7D787FFCF9EED7E3A3E3EF9FDF1D9F1F9F1C5F1F9FBD3E3ECDF1E6EDF1E517AFBFF9E1E5F73F7EF5F1ABFF86224395A1C9D055866E327497A1870C3D65E8A41FD792A026425184AA086511EA221446A88C501AA1364A6DD49E17D446A98D521BA5364A6D94DA28B5516A63D4C6A88DD99F09B5316A63D4C6A88D511BA336466D5CA98D2BB571A536AEF6A6416D5CA98D2BB571A536AED4C695DAB8511B376AE3466DDCA88D9BBD86521B376AE3466DDCA88D1BB571A736EED4C69DDAB8531B776AE36EDF28D4C69DDAB8531B776AE3416D3CA88D07B5F1A0361ED4C683DA78D8072CB5F1A0361ED4C693DA78521B4F6AE3496D3CA98D27B5F1A4369EA61BD4C693DA38A98D93DA38A98D93DA38A98D93DA38A98D93DA388DBED0BE0CBF2EA65F17E3AF8BF9D7C500EC6202763102BB98815D0CC12E568912A95582488A4A8A4C8A4E8A508A528A546A561AC3D29896C6B834E6A531308D89698C4C63661A43D3989AC6D834E6A631388DC9698C4E63761AC3D3989EC6F834E6A731408D096A8C5063861A43D498A2C61835E6A831488D496A8C5263961AC3D498A6C63835E6A931508D896A8C5463A61A43D598AAC65835E6AA31588DC96A8C5663B61AC3D598AEC67835E6AB31608D096B8C5863C61A43D698B2C69835E6AC31688D496B8C5A63D61AC3D698B6C6B835E6AD31708D896B8C5C63E61A43D798BAC6D835E6AE31788DC96B8C5E63F65AB3D79ABDD6ECB566AF357BADD96BCD5E6BF65AB3D79ABDD6ECB566AF357BADD96BCD5E6BF65AB3D79ABDD6ECB5B8A78A8BAABAA96A95E0AE2A2EABE2B62AAEABE2BE2A2EAC9ABDD6ECB566AF357BADD96BCD5E6BF65AB3D79ABDD6ECB566AF357BADD96BCD5E6BF65AB3D79ABDD6ECB566AF357BADD96BCD5E6BF65AB3D79ABDD6ECB566AF357BADD96BCD5E6BF65AB3D79ABDD6ECB566AF357BADD96BCD5E6BF65AB3D79ABDD6ECB566AF357BADD96BCD5E6BF65AB3D79ABDD6ECB566AF357BADD96BCD5E6BF65AB3D79ABDD6ECB566AF357BADD96BCD5E6BF65AB3D79ABDD6ECB566AF357BADD96BCD5E6BF63AB3D799BDCEEC7566AF337B9DD9EBCC5E67F63AB3D799BDCEEC7566AF337B9DD9EBCC5E67F63AB3D799BDCEEC7566AF337B9DD9EBCC5E67F63AB3D799BDCEEC7566AF337B1D5E0BC07301782F400F0658257832006F06E0D100BC1A806703CC5E67F63AB3D799BDCEEC7566AF337B9DD9EBCC5E67F63AB3D799BDCEEC7566AF337B9DD9EBCC5E67F63AB3D799BDCEEC7566AF337B9DD9EBCC5E67F63AB3D799BDCEEC7566AF337B9DD9EBCC5E67F63AB3D799BDCEEC7566AF337B9DD9EBCC5E67F63AB3D799BDCEEC7566AF337B9DD9EBCC5E67F63AB3D799BDCEEC7566AF337B9DD9EBCC5E67F63AB3D799BDEE7FDBEBBF5D95CEEA');
CREATE TABLE entries (
	position INTEGER NOT NULL, 
	thread TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	body TEXT NOT NULL, 
	at DOUBLE NOT NULL, 
	hash TEXT NOT NULL, 
	"before" TEXT NOT NULL, 
	PRIMARY KEY (position), 
	CONSTRAINT entries_thread_seq UNIQUE (thread, seq), 
	FOREIGN KEY(thread) REFERENCES threads (id)
);
INSERT INTO "entries" VALUES(1,'prices',1,'user','{"text":"word 0: find the price of mug 0 and say in one sentence how you know it"}',1700000001.0,'7d600e432351df517831f2a3a54019531b6354e728c6ef6857f1af88baf9122a','');
INSERT INTO "entries" VALUES(2,'prices',2,'agent','{"wire":"chat","items":[{"role":"assistant","content":"word 0: I look at the page of mug 0 before I answer","tool_calls":[{"id":"call_word_0","type":"function","function":{"name":"look","arguments":"{\"at\": \"page\"}"}}]}],"text":"word 0: I look at the page of mug 0 before I answer"}',1700000001.0,'01a1c7e3163cb86b5f8c3d7bcbb4024e912cacc8d3b309839f3c0dcf6bbc43bd','7d600e432351df517831f2a3a54019531b6354e728c6ef6857f1af88baf9122a');
INSERT INTO "entries" VALUES(3,'prices',3,'result','{"call":"call_word_0","text":"word 0: the page says that mug 0 costs EUR 0.50 with taxes","failed":false}',1700000001.0,'d13ccb819724b55db2377248173fc5399960b553ea035b798b6f8dfd61d4f4fd','01a1c7e3163cb86b5f8c3d7bcbb4024e912cacc8d3b309839f3c0dcf6bbc43bd');
INSERT INTO "entries" VALUES(4,'prices',4,'user','{"text":"word 1: find the price of mug 1 and say in one sentence how you know it"}',1700000001.0,'0f93488c8c06cdf388b3d4200f6933c98e0f2c768010ceee9053b687f5c5d849','d13ccb819724b55db2377248173fc5399960b553ea035b798b6f8dfd61d4f4fd');
INSERT INTO "entries" VALUES(5,'prices',5,'agent','{"wire":"chat","items":[{"role":"assistant","content":"word 1: I look at the page of mug 1 before I answer","tool_calls":[{"id":"call_word_1","type":"function","function":{"name":"look","arguments":"{\"at\": \"page\"}"}}]}],"text":"word 1: I look at the page of mug 1 before I answer"}',1700000001.0,'2c1087f254b048053c55971a7efc3ddf1258bc066ce90bd60e6d6f51a53b25e4','0f93488c8c06cdf388b3d4200f6933c98e0f2c768010ceee9053b687f5c5d849');
INSERT INTO "entries" VALUES(6,'prices',6,'result','{"call":"call_word_1","text":"word 1: the page says that mug 1 costs EUR 1.50 with taxes","failed":false}',1700000001.0,'d4be50e710bf5efa36a20eee22356e98b8791c4bb5d54d77fe1a89237cd63a5f','2c1087f254b048053c55971a7efc3ddf1258bc066ce90bd60e6d6f51a53b25e4');
INSERT INTO "entries" VALUES(7,'prices',7,'user','{"text":"word 2: find the price of mug 2 and say in one sentence how you know it"}',1700000001.0,'bd38246b619fa97e66c7ca87cfabfae4f8885c047accd6d1c209468821667e67','d4be50e710bf5efa36a20eee22356e98b8791c4bb5d54d77fe1a89237cd63a5f');
INSERT INTO "entries" VALUES(8,'prices',8,'agent','{"wire":"chat","items":[{"role":"assistant","content":"word 2: I look at the page of mug 2 before I answer","tool_calls":[{"id":"call_word_2","type":"function","function":{"name":"look","arguments":"{\"at\": \"page\"}"}}]}],"text":"word 2: I look at the page of mug 2 before I answer"}',1700000001.0,'ba78f55790c2bbe6a1c7d0a3d891673dca293b8d7594673e258ece8b50fe10f7','bd38246b619fa97e66c7ca87cfabfae4f8885c047accd6d1c209468821667e67');
INSERT INTO "entries" VALUES(9,'prices',9,'result','{"call":"call_word_2","text":"word 2: the page says that mug 2 costs EUR 2.50 with taxes","failed":false}',1700000001.0,'6179c4966bf1e22b668e4fcccbdcce08fcd9d76f890f04247d7a420b8cfea77e','ba78f55790c2bbe6a1c7d0a3d891673dca293b8d7594673e258ece8b50fe10f7');
INSERT INTO "entries" VALUES(10,'prices',10,'user','{"text":"word 3: find the price of mug 3 and say in one sentence how you know it"}',1700000001.0,'d916c7917458141fa10e209b743b1e5dba0365dbb596afe345986cbdb0f3adbd','6179c4966bf1e22b668e4fcccbdcce08fcd9d76f890f04247d7a420b8cfea77e');
INSERT INTO "entries" VALUES(11,'prices',11,'agent','{"wire":"chat","items":[{"role":"assistant","content":"word 3: I look at the page of mug 3 before I answer","tool_calls":[{"id":"call_word_3","type":"function","function":{"name":"look","arguments":"{\"at\": \"page\"}"}}]}],"text":"word 3: I look at the page of mug 3 before I answer"}',1700000001.0,'999e73b0ff4e7e4cfabe521ee33c8e1e7bcdd205916cd9f4e9c3cb50893cee72','d916c7917458141fa10e209b743b1e5dba0365dbb596afe345986cbdb0f3adbd');
INSERT INTO "entries" VALUES(12,'prices',12,'result','{"call":"call_word_3","text":"word 3: the page says that mug 3 costs EUR 3.50 with taxes","failed":false}',1700000001.0,'4c18fd875b955fcd3b26f99c855b4339c4d39cec3905d36ff9de54e745d6fe7d','999e73b0ff4e7e4cfabe521ee33c8e1e7bcdd205916cd9f4e9c3cb50893cee72');
INSERT INTO "entries" VALUES(13,'prices',13,'user','{"text":"word 4: find the price of mug 4 and say in one sentence how you know it"}',1700000001.0,'6a2fa06e0d3c0dc033ebba162da22733e8938c7530a1c1d434f002a292ed7424','4c18fd875b955fcd3b26f99c855b4339c4d39cec3905d36ff9de54e745d6fe7d');
INSERT INTO "entries" VALUES(14,'prices',14,'agent','{"wire":"chat","items":[{"role":"assistant","content":"word 4: I look at the page of mug 4 before I answer","tool_calls":[{"id":"call_word_4","type":"function","function":{"name":"look","arguments":"{\"at\": \"page\"}"}}]}],"text":"word 4: I look at the page of mug 4 before I answer"}',1700000001.0,'6a42ccaef459cd072d95cb779a6b1f8b4d945d926ec60a939e5f66352edc63ac','6a2fa06e0d3c0dc033ebba162da22733e8938c7530a1c1d434f002a292ed7424');
INSERT INTO "entries" VALUES(15,'prices',15,'result','{"call":"call_word_4","text":"word 4: the page says that mug 4 costs EUR 4.50 with taxes","failed":false}',1700000001.0,'a94a06d9a7bdf5c39f79bfa66f777e923e94d81ca191f3e23c5a278817b8f26a','6a42ccaef459cd072d95cb779a6b1f8b4d945d926ec60a939e5f66352edc63ac');
INSERT INTO "entries" VALUES(16,'prices',16,'user','{"text":"word 5: find the price of mug 5 and say in one sentence how you know it"}',1700000001.0,'82d393d6ec6d5fc87bb5256edeb67fb79825dd13a0541fddfb17f50bf3c58f4b','a94a06d9a7bdf5c39f79bfa66f777e923e94d81ca191f3e23c5a278817b8f26a');
INSERT INTO "entries" VALUES(17,'prices',17,'agent','{"wire":"chat","items":[{"role":"assistant","content":"word 5: I look at the page of mug 5 before I answer","tool_calls":[{"id":"call_word_5","type":"function","function":{"name":"look","arguments":"{\"at\": \"page\"}"}}]}],"text":"word 5: I look at the page of mug 5 before I answer"}',1700000001.0,'f87feb8984a76e642bc2c6bca111650429165f665ff8893ba2879e4d899c9340','82d393d6ec6d5fc87bb5256edeb67fb79825dd13a0541fddfb17f50bf3c58f4b');
INSERT INTO "entries" VALUES(18,'prices',18,'result','{"call":"call_word_5","text":"word 5: the page says that mug 5 costs EUR 5.50 with taxes","failed":false}',1700000001.0,'c40178eeb71409992fd033f7ffcc8d0b33c7a2660577f38fdbc7ba629f1125e3','f87feb8984a76e642bc2c6bca111650429165f665ff8893ba2879e4d899c9340');
INSERT INTO "entries" VALUES(19,'prices',19,'user','{"text":"é漢🦝   \u0000 \ud800 '' \" \\ %s $1 {} </script>"}',1700000001.0,'1fdc7906ac85a69700f25f93a85c5f58a1f8a987dd3f9319242a25ccb6d044d7','c40178eeb71409992fd033f7ffcc8d0b33c7a2660577f38fdbc7ba629f1125e3');
INSERT INTO "entries" VALUES(20,'prices',20,'agent','{"wire":"chat","items":[{"role":"assistant","content":"é漢🦝   \u0000 \ud800 '' \" \\ %s $1 {} </script>","tool_calls":[{"id":"call_a","type":"function","function":{"name":"look","arguments":"{\"at\": \"page\"}"}},{"id":"call_b","type":"function","function":{"name":"look","arguments":"{\"at\": \"page\"}"}}]}],"text":"é漢🦝   \u0000 \ud800 '' \" \\ %s $1 {} </script>"}',1700000001.0,'0ffb22d879fbaf8b0bedefd8e14b1f9fa18f4496a6b937ac11ad9308d412cf20','1fdc7906ac85a69700f25f93a85c5f58a1f8a987dd3f9319242a25ccb6d044d7');
INSERT INTO "entries" VALUES(21,'prices',21,'result','{"call":"call_a","text":{"$blob":"483457c408b4ed6566f72170870ff28ecb0d650c9db6ae8cb348aec40a2122e4","start":"line 0: é漢🦝   \u0000 \ud800 '' \" \\ %s $1 {} </script>\nline 1: é漢🦝   \u0000 \ud800 '' \" \\ %s $1 {} </script>\nline 2: é漢🦝   \u0000 \ud800 '' \" \\ %s $1 {} </script>\nline 3: é漢🦝   \u0000 \ud800 '' \" \\ %s $1 {} </script>\nline 4: é漢🦝   \u0000 \ud800 '' \" \\ %s $"},"failed":false}',1700000002.0,'4702d214e70f97c838d6bc1c5d2109498dbff94f98b287d31a9f5e6d605183b1','0ffb22d879fbaf8b0bedefd8e14b1f9fa18f4496a6b937ac11ad9308d412cf20');
INSERT INTO "entries" VALUES(22,'prices',22,'checkpoint','{"covers":[1,2,4,5],"summary":"Prices were looked up.","previous":null,"by":"manual","before":128,"after":10,"head":21,"trust":"web"}',1700000003.0,'abcfb77d61156c91043f46697060201d36759542049f77062bea07ebeb7459d5','4702d214e70f97c838d6bc1c5d2109498dbff94f98b287d31a9f5e6d605183b1');
INSERT INTO "entries" VALUES(23,'prices',23,'restore','{"checkpoint":22}',1700000004.0,'84f3e914ee84660b2d2fd08bd2d6b974f08fd590fc9b20e1b01b6eb146410cc0','abcfb77d61156c91043f46697060201d36759542049f77062bea07ebeb7459d5');
INSERT INTO "entries" VALUES(24,'prices',24,'delete','{"seqs":[7,8]}',1700000005.0,'163038de82ccfcb2d47089e2cbe18e9e4b41aa7470414a0b28de4a4eabe7f001','84f3e914ee84660b2d2fd08bd2d6b974f08fd590fc9b20e1b01b6eb146410cc0');
INSERT INTO "entries" VALUES(25,'prices',25,'checkpoint','{"covers":[1,2,4,5,10,11],"summary":"Three prices.","previous":null,"by":"auto","before":192,"after":8,"head":24,"trust":"web"}',1700000006.0,'ef716ade05b651dae8a63fe2c6478d8216afa6e5f55b70c190ba0acaceb755aa','163038de82ccfcb2d47089e2cbe18e9e4b41aa7470414a0b28de4a4eabe7f001');
INSERT INTO "entries" VALUES(26,'prices',26,'user','{"text":"And the last one?"}',1700000007.0,'a5b5b36cf4c458df0e992770e78fee6a3d4e68b7b1da2fe6e219a7a554bdb042','ef716ade05b651dae8a63fe2c6478d8216afa6e5f55b70c190ba0acaceb755aa');
INSERT INTO "entries" VALUES(27,'prices',27,'agent','{"wire":"chat","items":[{"role":"assistant","content":"EUR 5.50"}],"text":"EUR 5.50"}',1700000007.0,'eb61fff64acf9765f049d69b6b8f28cd072c451da7a22dfb95f84613c1d1cd8c','a5b5b36cf4c458df0e992770e78fee6a3d4e68b7b1da2fe6e219a7a554bdb042');
INSERT INTO "entries" VALUES(28,'alone',1,'user','{"text":"Hi","native":{"wire":"responses","message":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}}}',1700000009.0,'19af7482a85212ee9927ec847429fd245dd09345e1d6294b4c50f5b64ddeec50','');
INSERT INTO "entries" VALUES(29,'alone',2,'agent','{"wire":"responses","items":[{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Hello.","annotations":[]}]}],"text":"Hello."}',1700000009.0,'303831320dc95c84aeb32da4cf74336298be8d63847e643c965fbde06e1dbf63','19af7482a85212ee9927ec847429fd245dd09345e1d6294b4c50f5b64ddeec50');
CREATE TABLE meta (
	id INTEGER NOT NULL, 
	counter BIGINT NOT NULL, 
	purged BIGINT NOT NULL, base BIGINT DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "meta" VALUES(1,32,0,0);
CREATE TABLE records (
	position INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	at DOUBLE NOT NULL, 
	hash TEXT NOT NULL, 
	"before" TEXT NOT NULL, 
	PRIMARY KEY (position), 
	CONSTRAINT records_kind_id_version UNIQUE (kind, id, version)
);
INSERT INTO "records" VALUES(30,'plan','p',1,'{"workflow_id":"shop","steps":["look"]}','begun',1700000010.0,'217b3455d37f907da60f35c3c9d9749ab4662644639fc821717d178fe878cb2c','');
INSERT INTO "records" VALUES(31,'plan','p',2,'{"workflow_id":"shop","steps":["look","é漢🦝   \u0000 \ud800 '' \" \\ %s $1 {} </script>"]}','grown',1700000011.0,'c70456b014ba75e5e2d97771997fbfff35c1ca0ec7ab94758f8e45a3ed84e9c8','217b3455d37f907da60f35c3c9d9749ab4662644639fc821717d178fe878cb2c');
INSERT INTO "records" VALUES(32,'note','n',1,'{"page":{"$blob":"483457c408b4ed6566f72170870ff28ecb0d650c9db6ae8cb348aec40a2122e4","start":"line 0: é漢🦝   \u0000 \ud800 '' \" \\ %s $1 {} </script>\nline 1: é漢🦝   \u0000 \ud800 '' \" \\ %s $1 {} </script>\nline 2: é漢🦝   \u0000 \ud800 '' \" \\ %s $1 {} </script>\nline 3: é漢🦝   \u0000 \ud800 '' \" \\ %s $1 {} </script>\nline 4: é漢🦝   \u0000 \ud800 '' \" \\ %s $"},"odd":{"$blob":{"plain":{"$blob":"no reference"}}}}','a large text',1700000012.0,'fd2ef9fed0110c51edd78de81fa9e1526364c59d9d63ff52995e5219e904273a','');
CREATE TABLE refs (
	thread TEXT NOT NULL, 
	body TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	PRIMARY KEY (thread), 
	FOREIGN KEY(thread) REFERENCES threads (id)
);
CREATE TABLE tallies (
	id INTEGER NOT NULL, 
	counter BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE threads (
	id TEXT NOT NULL, 
	workflow TEXT NOT NULL, 
	title TEXT NOT NULL, 
	at DOUBLE NOT NULL, hash TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "threads" VALUES('prices','shop','Prices of “mugs”',1700000000.0,'f14742fad22cc7172fc41ee8df79e2525a5ae879b3e61c35bc79d7f5772f822c');
INSERT INTO "threads" VALUES('empty','shop','',1700000008.0,'0c526ab4bc2cbd574085627ad85973b49ba844f542ca6ead2e8c3a0d369e04ef');
INSERT INTO "threads" VALUES('alone','','',1700000009.0,'a5af406d9aa8b496e29526d8110ec10782c5f6278f12e312f86ccf2636328cb3');
CREATE TABLE workers (
	name TEXT NOT NULL, 
	host TEXT NOT NULL, 
	pid INTEGER NOT NULL, 
	machine TEXT NOT NULL, 
	epoch BIGINT NOT NULL, 
	beat BIGINT NOT NULL, 
	at DOUBLE NOT NULL, 
	PRIMARY KEY (name)
);
CREATE INDEX ix_threads_workflow ON threads (workflow);
CREATE TRIGGER entries_no_update BEFORE update ON entries BEGIN SELECT RAISE(ABORT, 'entries is append-only'); END;
CREATE TRIGGER entries_no_delete BEFORE delete ON entries BEGIN SELECT RAISE(ABORT, 'entries is append-only'); END;
CREATE TRIGGER records_no_update BEFORE update ON records BEGIN SELECT RAISE(ABORT, 'records is append-only'); END;
CREATE TRIGGER records_no_delete BEFORE delete ON records BEGIN SELECT RAISE(ABORT, 'records is append-only'); END;
CREATE TRIGGER blobs_no_update BEFORE update ON blobs BEGIN SELECT RAISE(ABORT, 'blobs is append-only'); END;
CREATE TRIGGER blobs_no_delete BEFORE delete ON blobs BEGIN SELECT RAISE(ABORT, 'blobs is append-only'); END;
CREATE VIEW conversations AS
WITH RECURSIVE made AS (
    SELECT c.thread, c.seq, json_extract(c.body, '$.previous') AS previous, c.body FROM entries c
    WHERE c.kind = 'checkpoint' AND NOT EXISTS (
        SELECT 1 FROM entries r
        WHERE r.thread = c.thread AND r.kind = 'restore' AND json_extract(r.body, '$.checkpoint') = c.seq)
), active AS (
    SELECT thread, seq FROM made WHERE previous IS NULL
    UNION
    SELECT m.thread, m.seq FROM made m JOIN active a ON a.thread = m.thread AND a.seq = m.previous
), covered AS (
    SELECT c.thread, CAST(x.value AS INTEGER) AS seq FROM made c, json_each(c.body, '$.covers') x
    WHERE (c.thread, c.seq) IN (SELECT thread, MAX(seq) FROM active GROUP BY thread)
), deleted AS (
    SELECT d.thread, CAST(x.value AS INTEGER) AS seq FROM entries d, json_each(d.body, '$.seqs') x
    WHERE d.kind = 'delete'
), told AS (
    SELECT e.position, e.thread, e.kind, e.body, e.at, CASE e.kind WHEN 'result' THEN (
        SELECT MAX(a.seq) FROM entries a
        WHERE a.thread = e.thread AND a.seq < e.seq AND a.kind = 'agent'
    ) ELSE e.seq END AS turn
    FROM entries e WHERE e.kind IN ('user', 'agent', 'result')
)
SELECT e.position AS id, t.workflow AS workflow_id, e.thread AS thread,
       CASE e.kind WHEN 'agent' THEN 'assistant' WHEN 'result' THEN 'tool' ELSE 'user' END AS role,
       CASE json_type(e.body, '$.text') WHEN 'object' THEN json_extract(e.body, '$.text.start') || '… [blob ' || json_extract(e.body, '$.text."$blob"') || ']' ELSE json_extract(e.body, '$.text') END AS content, strftime('%Y-%m-%dT%H:%M:%fZ', e.at, 'unixepoch') AS timestamp,
       (e.thread, COALESCE(e.turn, 0)) IN (SELECT thread, seq FROM covered) AS is_archived
FROM told e JOIN threads t ON t.id = e.thread
WHERE (e.thread, COALESCE(e.turn, 0)) NOT IN (SELECT thread, seq FROM deleted);
CREATE VIEW compressed_contexts AS
SELECT e.position AS id, t.workflow AS workflow_id, CASE json_type(e.body, '$.summary') WHEN 'object' THEN json_extract(e.body, '$.summary.start') || '… [blob ' || json_extract(e.body, '$.summary."$blob"') || ']' ELSE json_extract(e.body, '$.summary') END AS summary,
       json_array_length(e.body, '$.covers') AS original_message_count, CAST(json_extract(e.body, '$.after') AS REAL) / NULLIF(json_extract(e.body, '$.before'), 0) AS compression_ratio,
       strftime('%Y-%m-%dT%H:%M:%fZ', e.at, 'unixepoch') AS created_at, json_extract(e.body, '$.by') AS created_by
FROM entries e JOIN threads t ON t.id = e.thread WHERE e.kind = 'checkpoint';
CREATE VIEW director_plans AS
SELECT e.id AS id, COALESCE(json_extract(e.body, '$.workflow_id'), e.id) AS workflow_id, e.version AS plan_version,
       e.body AS plan_data, strftime('%Y-%m-%dT%H:%M:%fZ', f.at, 'unixepoch') AS created_at, strftime('%Y-%m-%dT%H:%M:%fZ', e.at, 'unixepoch') AS updated_at
FROM records e JOIN records f ON f.kind = 'plan' AND f.id = e.id AND f.version = 1
WHERE e.kind = 'plan' AND NOT EXISTS (
    SELECT 1 FROM records n WHERE n.kind = 'plan' AND n.id = e.id AND n.version > e.version);
CREATE TRIGGER threads_no_update BEFORE update ON threads BEGIN SELECT RAISE(ABORT, 'threads is append-only'); END;
CREATE TRIGGER threads_no_delete BEFORE delete ON threads BEGIN SELECT RAISE(ABORT, 'threads is append-only'); END;
CREATE INDEX entries_that_hide ON entries (thread, seq) WHERE kind IN ('checkpoint', 'restore', 'delete');
COMMIT;
