# Written by hand and a few lines of script: waiting, classes, processes, a latency point, warnings.
andweorc	version=1	tool=record
run	id=1	command=./server%20--once	host=box	cpus=2	sampler=perf	period_ns=1000000	started_ns=1700000100000000000	seed=7	mode=function
module	run=1	id=1	build_id=beef	path=/src/build/server
region	id=1	scope=function	module=1	ranges=0x1000-0x1100	symbol=read_block	function=read_block	file=/src/server.c	line=31
region	id=2	scope=class	symbol=:io
region	id=3	scope=class	symbol=:lock
region	id=4	scope=class	symbol=:alloc
region	id=5	scope=class	symbol=:new%1B[2Jclass
process	run=1	id=1	pid=4011	command=./server%20--once	status=exit:0	visits=0
process	run=1	id=2	pid=4012	parent=1	command=./server%20--once	status=exit:0	visits=200
process	run=1	id=3	pid=4013	parent=1	command=gzip%20-c	status=exit:0	visits=0
process	run=1	id=1	pid=4011	command=./server%20--once	status=exit:0
experiment	id=1	run=1	block=1	region=1	speedup_pct=30	start_ns=0	wall_ns=220230991	delay_ns=50822536	samples=169	region_samples=0
visits	experiment=1	point=request	kind=latency	count=40	virtual_ns=169408455	begins=39	in_flight_ns=508225365
experiment	id=2	run=1	block=1	region=4	speedup_pct=60	start_ns=220230991	wall_ns=301263555	delay_ns=112973833	samples=188	region_samples=0
visits	experiment=2	point=request	kind=latency	count=40	virtual_ns=188289722	begins=41	in_flight_ns=564869166
experiment	id=3	run=1	block=1	region=5	speedup_pct=60	start_ns=521494546	wall_ns=310892576	delay_ns=116584716	samples=194	region_samples=0
visits	experiment=3	point=request	kind=latency	count=40	virtual_ns=194307860	begins=39	in_flight_ns=582923580
experiment	id=4	run=1	block=1	region=3	speedup_pct=30	start_ns=832387122	wall_ns=262223651	delay_ns=60513150	samples=201	region_samples=0
visits	experiment=4	point=request	kind=latency	count=40	virtual_ns=201710501	begins=39	in_flight_ns=605131503
experiment	id=5	run=1	block=1	region=4	speedup_pct=30	start_ns=1094610773	wall_ns=249926172	delay_ns=57675270	samples=192	region_samples=0
visits	experiment=5	point=request	kind=latency	count=40	virtual_ns=192250902	begins=39	in_flight_ns=576752706
experiment	id=6	run=1	block=1	region=1	speedup_pct=60	start_ns=1344536945	wall_ns=221832347	delay_ns=83187130	samples=138	region_samples=0
visits	experiment=6	point=request	kind=latency	count=40	virtual_ns=138645217	begins=41	in_flight_ns=415935651
experiment	id=7	run=1	block=1	region=5	speedup_pct=30	start_ns=1566369292	wall_ns=257731949	delay_ns=59476603	samples=198	region_samples=0
visits	experiment=7	point=request	kind=latency	count=40	virtual_ns=198255346	begins=39	in_flight_ns=594766038
experiment	id=8	run=1	block=1	region=3	speedup_pct=60	start_ns=1824101241	wall_ns=319477483	delay_ns=119804056	samples=199	region_samples=0
visits	experiment=8	point=request	kind=latency	count=40	virtual_ns=199673427	begins=39	in_flight_ns=599020281
experiment	id=9	run=1	block=1	region=-	speedup_pct=0	start_ns=2143578724	wall_ns=198997786	delay_ns=0	samples=198	region_samples=0
visits	experiment=9	point=request	kind=latency	count=40	virtual_ns=198997786	begins=40	in_flight_ns=596993358
experiment	id=10	run=1	block=1	region=-	speedup_pct=0	start_ns=2342576510	wall_ns=199627292	delay_ns=0	samples=199	region_samples=0
visits	experiment=10	point=request	kind=latency	count=40	virtual_ns=199627292	begins=39	in_flight_ns=598881876
experiment	id=11	run=1	block=1	region=2	speedup_pct=60	start_ns=2542203802	wall_ns=240139158	delay_ns=90052184	samples=150	region_samples=0
visits	experiment=11	point=request	kind=latency	count=40	virtual_ns=150086974	begins=41	in_flight_ns=450260922
experiment	id=12	run=1	block=1	region=-	speedup_pct=0	start_ns=2782342960	wall_ns=199342132	delay_ns=0	samples=199	region_samples=0
visits	experiment=12	point=request	kind=latency	count=40	virtual_ns=199342132	begins=41	in_flight_ns=598026396
experiment	id=13	run=1	block=1	region=2	speedup_pct=30	start_ns=2981685092	wall_ns=230073521	delay_ns=53093889	samples=176	region_samples=0
visits	experiment=13	point=request	kind=latency	count=40	virtual_ns=176979632	begins=41	in_flight_ns=530938896
experiment	id=14	run=1	block=2	region=3	speedup_pct=30	start_ns=3211758613	wall_ns=263112213	delay_ns=60718203	samples=202	region_samples=0
visits	experiment=14	point=request	kind=latency	count=40	virtual_ns=202394010	begins=41	in_flight_ns=607182030
experiment	id=15	run=1	block=2	region=-	speedup_pct=0	start_ns=3474870826	wall_ns=201679735	delay_ns=0	samples=201	region_samples=0
visits	experiment=15	point=request	kind=latency	count=40	virtual_ns=201679735	begins=39	in_flight_ns=605039205
experiment	id=16	run=1	block=2	region=5	speedup_pct=30	start_ns=3676550561	wall_ns=257307137	delay_ns=59378570	samples=197	region_samples=0
visits	experiment=16	point=request	kind=latency	count=40	virtual_ns=197928567	begins=39	in_flight_ns=593785701
experiment	id=17	run=1	block=2	region=2	speedup_pct=60	start_ns=3933857698	wall_ns=242626843	delay_ns=90985066	samples=151	region_samples=0
visits	experiment=17	point=request	kind=latency	count=40	virtual_ns=151641777	begins=41	in_flight_ns=454925331
experiment	id=18	run=1	block=2	region=5	speedup_pct=60	start_ns=4176484541	wall_ns=313915171	delay_ns=117718189	samples=196	region_samples=0
visits	experiment=18	point=request	kind=latency	count=40	virtual_ns=196196982	begins=40	in_flight_ns=588590946
experiment	id=19	run=1	block=2	region=4	speedup_pct=30	start_ns=4490399712	wall_ns=247119774	delay_ns=57027640	samples=190	region_samples=0
visits	experiment=19	point=request	kind=latency	count=40	virtual_ns=190092134	begins=41	in_flight_ns=570276402
experiment	id=20	run=1	block=2	region=1	speedup_pct=60	start_ns=4737519486	wall_ns=223279628	delay_ns=83729860	samples=139	region_samples=0
visits	experiment=20	point=request	kind=latency	count=40	virtual_ns=139549768	begins=40	in_flight_ns=418649304
experiment	id=21	run=1	block=2	region=-	speedup_pct=0	start_ns=4960799114	wall_ns=198677597	delay_ns=0	samples=198	region_samples=0
visits	experiment=21	point=request	kind=latency	count=40	virtual_ns=198677597	begins=39	in_flight_ns=596032791
experiment	id=22	run=1	block=2	region=4	speedup_pct=60	start_ns=5159476711	wall_ns=308985088	delay_ns=115869408	samples=193	region_samples=0
visits	experiment=22	point=request	kind=latency	count=40	virtual_ns=193115680	begins=41	in_flight_ns=579347040
experiment	id=23	run=1	block=2	region=3	speedup_pct=60	start_ns=5468461799	wall_ns=315313097	delay_ns=118242411	samples=197	region_samples=0
visits	experiment=23	point=request	kind=latency	count=40	virtual_ns=197070686	begins=39	in_flight_ns=591212058
experiment	id=24	run=1	block=2	region=-	speedup_pct=0	start_ns=5783774896	wall_ns=201655691	delay_ns=0	samples=201	region_samples=0
visits	experiment=24	point=request	kind=latency	count=40	virtual_ns=201655691	begins=40	in_flight_ns=604967073
experiment	id=25	run=1	block=2	region=2	speedup_pct=30	start_ns=5985430587	wall_ns=223642237	delay_ns=51609747	samples=172	region_samples=0
visits	experiment=25	point=request	kind=latency	count=40	virtual_ns=172032490	begins=39	in_flight_ns=516097470
experiment	id=26	run=1	block=2	region=1	speedup_pct=30	start_ns=6209072824	wall_ns=223670008	delay_ns=51616155	samples=172	region_samples=0
visits	experiment=26	point=request	kind=latency	count=40	virtual_ns=172053853	begins=41	in_flight_ns=516161559
experiment	id=27	run=1	block=3	region=-	speedup_pct=0	start_ns=6432742832	wall_ns=202886699	delay_ns=0	samples=202	region_samples=0
visits	experiment=27	point=request	kind=latency	count=40	virtual_ns=202886699	begins=41	in_flight_ns=608660097
experiment	id=28	run=1	block=3	region=5	speedup_pct=60	start_ns=6635629531	wall_ns=317988974	delay_ns=119245865	samples=198	region_samples=0
visits	experiment=28	point=request	kind=latency	count=40	virtual_ns=198743109	begins=41	in_flight_ns=596229327
experiment	id=29	run=1	block=3	region=1	speedup_pct=60	start_ns=6953618505	wall_ns=228157361	delay_ns=85559010	samples=142	region_samples=0
visits	experiment=29	point=request	kind=latency	count=40	virtual_ns=142598351	begins=40	in_flight_ns=427795053
experiment	id=30	run=1	block=3	region=1	speedup_pct=30	start_ns=7181775866	wall_ns=220821958	delay_ns=50958913	samples=169	region_samples=0
visits	experiment=30	point=request	kind=latency	count=40	virtual_ns=169863045	begins=41	in_flight_ns=509589135
experiment	id=31	run=1	block=3	region=-	speedup_pct=0	start_ns=7402597824	wall_ns=197760426	delay_ns=0	samples=197	region_samples=0
visits	experiment=31	point=request	kind=latency	count=40	virtual_ns=197760426	begins=39	in_flight_ns=593281278
experiment	id=32	run=1	block=3	region=2	speedup_pct=60	start_ns=7600358250	wall_ns=245576966	delay_ns=92091362	samples=153	region_samples=0
visits	experiment=32	point=request	kind=latency	count=40	virtual_ns=153485604	begins=40	in_flight_ns=460456812
experiment	id=33	run=1	block=3	region=-	speedup_pct=0	start_ns=7845935216	wall_ns=198309378	delay_ns=0	samples=198	region_samples=0
visits	experiment=33	point=request	kind=latency	count=40	virtual_ns=198309378	begins=40	in_flight_ns=594928134
experiment	id=34	run=1	block=3	region=3	speedup_pct=60	start_ns=8044244594	wall_ns=323466336	delay_ns=121299876	samples=202	region_samples=0
visits	experiment=34	point=request	kind=latency	count=40	virtual_ns=202166460	begins=39	in_flight_ns=606499380
experiment	id=35	run=1	block=3	region=3	speedup_pct=30	start_ns=8367710930	wall_ns=260424736	delay_ns=60098016	samples=200	region_samples=0
visits	experiment=35	point=request	kind=latency	count=40	virtual_ns=200326720	begins=41	in_flight_ns=600980160
experiment	id=36	run=1	block=3	region=4	speedup_pct=60	start_ns=8628135666	wall_ns=303227128	delay_ns=113710173	samples=189	region_samples=0
visits	experiment=36	point=request	kind=latency	count=40	virtual_ns=189516955	begins=39	in_flight_ns=568550865
experiment	id=37	run=1	block=3	region=5	speedup_pct=30	start_ns=8931362794	wall_ns=253822380	delay_ns=58574395	samples=195	region_samples=0
visits	experiment=37	point=request	kind=latency	count=40	virtual_ns=195247985	begins=40	in_flight_ns=585743955
experiment	id=38	run=1	block=3	region=2	speedup_pct=30	start_ns=9185185174	wall_ns=231853438	delay_ns=53504639	samples=178	region_samples=0
visits	experiment=38	point=request	kind=latency	count=40	virtual_ns=178348799	begins=39	in_flight_ns=535046397
experiment	id=39	run=1	block=3	region=4	speedup_pct=30	start_ns=9417038612	wall_ns=253482171	delay_ns=58495885	samples=194	region_samples=0
visits	experiment=39	point=request	kind=latency	count=40	virtual_ns=194986286	begins=40	in_flight_ns=584958858
share	run=1	region=1	samples=120	total=3000	blocked=2300	blocked_total=20000
share	run=1	region=2	samples=0	total=3000	blocked=2500	blocked_total=20000
share	run=1	region=3	samples=0	total=3000	blocked=16000	blocked_total=20000
share	run=1	region=4	samples=300	total=3000	blocked=10	blocked_total=20000
share	run=1	region=5	samples=0	total=3000	blocked=90	blocked_total=20000
sample	run=1	module=1	offset=0x1010	count=2000	state=cpu
sample	run=1	module=1	offset=0x1024	count=1000	state=cpu
sample	run=1	module=1	offset=0x1040	count=2500	state=blocked	class=io
sample	run=1	module=1	offset=0x1050	count=16000	state=blocked	class=lock
sample	run=1	module=1	offset=0x1060	count=1400	state=blocked	class=sleep
sample	run=1	module=1	offset=0x1070	count=100	state=blocked	class=later
warning	run=1	what=lost-samples	text=12%20of%203000%20samples%20were%20lost:%20the%20arena%20was%20full
warning	run=1	what=spin	text=a%20thread%20seems%20to%20wait%20for%20another%20in%20a%20loop%20at%20/src/spin.c:12,%20which%20nobody%20can%20see:%20use%20ANDWEORC_PRE_BLOCK%20and%20ANDWEORC_POST_BLOCK
end	run=1	status=exit:0	wall_ns=9670520783	experiments=39
run	id=2	command=./server%20--once	host=box	cpus=2	sampler=perf	period_ns=1000000	started_ns=1700000200000000000	seed=7	mode=function
region	id=1	scope=function	module=1	ranges=0x1000-0x1100	symbol=read_block	function=read_block	file=/src/server.c	line=31
region	id=2	scope=class	symbol=:io
region	id=3	scope=class	symbol=:lock
region	id=4	scope=class	symbol=:alloc
region	id=5	scope=class	symbol=:new%1B[2Jclass
process	run=2	id=1	pid=4021	command=./server%20--once	status=exit:0	visits=0
process	run=2	id=2	pid=4022	parent=1	command=./server%20--once	status=exit:0	visits=200
process	run=2	id=1	pid=4021	command=./server%20--once	status=exit:0
experiment	id=40	run=2	block=1	region=4	speedup_pct=60	start_ns=0	wall_ns=303437235	delay_ns=113788963	samples=189	region_samples=0
visits	experiment=40	point=request	kind=latency	count=40	virtual_ns=189648272	begins=39	in_flight_ns=568944816
experiment	id=41	run=2	block=1	region=5	speedup_pct=60	start_ns=303437235	wall_ns=316420724	delay_ns=118657771	samples=197	region_samples=0
visits	experiment=41	point=request	kind=latency	count=40	virtual_ns=197762953	begins=40	in_flight_ns=593288859
experiment	id=42	run=2	block=1	region=-	speedup_pct=0	start_ns=619857959	wall_ns=201448603	delay_ns=0	samples=201	region_samples=0
visits	experiment=42	point=request	kind=latency	count=40	virtual_ns=201448603	begins=41	in_flight_ns=604345809
experiment	id=43	run=2	block=1	region=4	speedup_pct=30	start_ns=821306562	wall_ns=253046508	delay_ns=58395348	samples=194	region_samples=0
visits	experiment=43	point=request	kind=latency	count=40	virtual_ns=194651160	begins=39	in_flight_ns=583953480
experiment	id=44	run=2	block=1	region=-	speedup_pct=0	start_ns=1074353070	wall_ns=201482858	delay_ns=0	samples=201	region_samples=0
visits	experiment=44	point=request	kind=latency	count=40	virtual_ns=201482858	begins=40	in_flight_ns=604448574
experiment	id=45	run=2	block=1	region=1	speedup_pct=30	start_ns=1275835928	wall_ns=218039313	delay_ns=50316764	samples=167	region_samples=0
visits	experiment=45	point=request	kind=latency	count=40	virtual_ns=167722549	begins=40	in_flight_ns=503167647
experiment	id=46	run=2	block=1	region=3	speedup_pct=30	start_ns=1493875241	wall_ns=259230814	delay_ns=59822495	samples=199	region_samples=0
visits	experiment=46	point=request	kind=latency	count=40	virtual_ns=199408319	begins=39	in_flight_ns=598224957
experiment	id=47	run=2	block=1	region=2	speedup_pct=30	start_ns=1753106055	wall_ns=227793987	delay_ns=52567843	samples=175	region_samples=0
visits	experiment=47	point=request	kind=latency	count=40	virtual_ns=175226144	begins=41	in_flight_ns=525678432
experiment	id=48	run=2	block=1	region=5	speedup_pct=30	start_ns=1980900042	wall_ns=255543727	delay_ns=58971629	samples=196	region_samples=0
visits	experiment=48	point=request	kind=latency	count=40	virtual_ns=196572098	begins=41	in_flight_ns=589716294
experiment	id=49	run=2	block=1	region=1	speedup_pct=60	start_ns=2236443769	wall_ns=223666196	delay_ns=83874823	samples=139	region_samples=0
visits	experiment=49	point=request	kind=latency	count=40	virtual_ns=139791373	begins=41	in_flight_ns=419374119
experiment	id=50	run=2	block=1	region=3	speedup_pct=60	start_ns=2460109965	wall_ns=319046400	delay_ns=119642400	samples=199	region_samples=0
visits	experiment=50	point=request	kind=latency	count=40	virtual_ns=199404000	begins=41	in_flight_ns=598212000
experiment	id=51	run=2	block=1	region=2	speedup_pct=60	start_ns=2779156365	wall_ns=241285920	delay_ns=90482220	samples=150	region_samples=0
visits	experiment=51	point=request	kind=latency	count=40	virtual_ns=150803700	begins=39	in_flight_ns=452411100
experiment	id=52	run=2	block=1	region=-	speedup_pct=0	start_ns=3020442285	wall_ns=201263042	delay_ns=0	samples=201	region_samples=0
visits	experiment=52	point=request	kind=latency	count=40	virtual_ns=201263042	begins=40	in_flight_ns=603789126
experiment	id=53	run=2	block=2	region=2	speedup_pct=30	start_ns=3221705327	wall_ns=231167956	delay_ns=53346451	samples=177	region_samples=0
visits	experiment=53	point=request	kind=latency	count=40	virtual_ns=177821505	begins=41	in_flight_ns=533464515
experiment	id=54	run=2	block=2	region=1	speedup_pct=60	start_ns=3452873283	wall_ns=225737872	delay_ns=84651702	samples=141	region_samples=0
visits	experiment=54	point=request	kind=latency	count=40	virtual_ns=141086170	begins=39	in_flight_ns=423258510
experiment	id=55	run=2	block=2	region=5	speedup_pct=30	start_ns=3678611155	wall_ns=261822850	delay_ns=60420657	samples=201	region_samples=0
visits	experiment=55	point=request	kind=latency	count=40	virtual_ns=201402193	begins=39	in_flight_ns=604206579
experiment	id=56	run=2	block=2	region=-	speedup_pct=0	start_ns=3940434005	wall_ns=199130233	delay_ns=0	samples=199	region_samples=0
visits	experiment=56	point=request	kind=latency	count=40	virtual_ns=199130233	begins=39	in_flight_ns=597390699
experiment	id=57	run=2	block=2	region=5	speedup_pct=60	start_ns=4139564238	wall_ns=314808121	delay_ns=118053045	samples=196	region_samples=0
visits	experiment=57	point=request	kind=latency	count=40	virtual_ns=196755076	begins=40	in_flight_ns=590265228
experiment	id=58	run=2	block=2	region=3	speedup_pct=60	start_ns=4454372359	wall_ns=318807835	delay_ns=119552938	samples=199	region_samples=0
visits	experiment=58	point=request	kind=latency	count=40	virtual_ns=199254897	begins=40	in_flight_ns=597764691
experiment	id=59	run=2	block=2	region=3	speedup_pct=30	start_ns=4773180194	wall_ns=257640188	delay_ns=59455428	samples=198	region_samples=0
visits	experiment=59	point=request	kind=latency	count=40	virtual_ns=198184760	begins=39	in_flight_ns=594554280
experiment	id=60	run=2	block=2	region=4	speedup_pct=30	start_ns=5030820382	wall_ns=250486317	delay_ns=57804534	samples=192	region_samples=0
visits	experiment=60	point=request	kind=latency	count=40	virtual_ns=192681783	begins=40	in_flight_ns=578045349
experiment	id=61	run=2	block=2	region=-	speedup_pct=0	start_ns=5281306699	wall_ns=202238146	delay_ns=0	samples=202	region_samples=0
visits	experiment=61	point=request	kind=latency	count=40	virtual_ns=202238146	begins=40	in_flight_ns=606714438
experiment	id=62	run=2	block=2	region=1	speedup_pct=30	start_ns=5483544845	wall_ns=220892753	delay_ns=50975250	samples=169	region_samples=0
visits	experiment=62	point=request	kind=latency	count=40	virtual_ns=169917503	begins=40	in_flight_ns=509752509
experiment	id=63	run=2	block=2	region=-	speedup_pct=0	start_ns=5704437598	wall_ns=200796670	delay_ns=0	samples=200	region_samples=0
visits	experiment=63	point=request	kind=latency	count=40	virtual_ns=200796670	begins=40	in_flight_ns=602390010
experiment	id=64	run=2	block=2	region=2	speedup_pct=60	start_ns=5905234268	wall_ns=243780209	delay_ns=91417578	samples=152	region_samples=0
visits	experiment=64	point=request	kind=latency	count=40	virtual_ns=152362631	begins=41	in_flight_ns=457087893
experiment	id=65	run=2	block=2	region=4	speedup_pct=60	start_ns=6149014477	wall_ns=300276702	delay_ns=112603763	samples=187	region_samples=0
visits	experiment=65	point=request	kind=latency	count=40	virtual_ns=187672939	begins=39	in_flight_ns=563018817
experiment	id=66	run=2	block=3	region=-	speedup_pct=0	start_ns=6449291179	wall_ns=203741779	delay_ns=0	samples=203	region_samples=0
visits	experiment=66	point=request	kind=latency	count=40	virtual_ns=203741779	begins=41	in_flight_ns=611225337
experiment	id=67	run=2	block=3	region=2	speedup_pct=60	start_ns=6653032958	wall_ns=244859284	delay_ns=91822231	samples=153	region_samples=0
visits	experiment=67	point=request	kind=latency	count=40	virtual_ns=153037053	begins=39	in_flight_ns=459111159
experiment	id=68	run=2	block=3	region=4	speedup_pct=60	start_ns=6897892242	wall_ns=297798361	delay_ns=111674385	samples=186	region_samples=0
visits	experiment=68	point=request	kind=latency	count=40	virtual_ns=186123976	begins=40	in_flight_ns=558371928
experiment	id=69	run=2	block=3	region=3	speedup_pct=30	start_ns=7195690603	wall_ns=260440607	delay_ns=60101678	samples=200	region_samples=0
visits	experiment=69	point=request	kind=latency	count=40	virtual_ns=200338929	begins=41	in_flight_ns=601016787
experiment	id=70	run=2	block=3	region=5	speedup_pct=30	start_ns=7456131210	wall_ns=255282809	delay_ns=58911417	samples=196	region_samples=0
visits	experiment=70	point=request	kind=latency	count=40	virtual_ns=196371392	begins=40	in_flight_ns=589114176
experiment	id=71	run=2	block=3	region=1	speedup_pct=60	start_ns=7711414019	wall_ns=221979265	delay_ns=83242224	samples=138	region_samples=0
visits	experiment=71	point=request	kind=latency	count=40	virtual_ns=138737041	begins=39	in_flight_ns=416211123
experiment	id=72	run=2	block=3	region=4	speedup_pct=30	start_ns=7933393284	wall_ns=249571749	delay_ns=57593480	samples=191	region_samples=0
visits	experiment=72	point=request	kind=latency	count=40	virtual_ns=191978269	begins=39	in_flight_ns=575934807
experiment	id=73	run=2	block=3	region=-	speedup_pct=0	start_ns=8182965033	wall_ns=201366299	delay_ns=0	samples=201	region_samples=0
visits	experiment=73	point=request	kind=latency	count=40	virtual_ns=201366299	begins=39	in_flight_ns=604098897
experiment	id=74	run=2	block=3	region=2	speedup_pct=30	start_ns=8384331332	wall_ns=225385986	delay_ns=52012150	samples=173	region_samples=0
visits	experiment=74	point=request	kind=latency	count=40	virtual_ns=173373836	begins=39	in_flight_ns=520121508
experiment	id=75	run=2	block=3	region=5	speedup_pct=60	start_ns=8609717318	wall_ns=313214436	delay_ns=117455413	samples=195	region_samples=0
visits	experiment=75	point=request	kind=latency	count=40	virtual_ns=195759023	begins=39	in_flight_ns=587277069
experiment	id=76	run=2	block=3	region=1	speedup_pct=30	start_ns=8922931754	wall_ns=220770868	delay_ns=50947123	samples=169	region_samples=0
visits	experiment=76	point=request	kind=latency	count=40	virtual_ns=169823745	begins=39	in_flight_ns=509471235
experiment	id=77	run=2	block=3	region=-	speedup_pct=0	start_ns=9143702622	wall_ns=200563901	delay_ns=0	samples=200	region_samples=0
visits	experiment=77	point=request	kind=latency	count=40	virtual_ns=200563901	begins=39	in_flight_ns=601691703
experiment	id=78	run=2	block=3	region=3	speedup_pct=60	start_ns=9344266523	wall_ns=316496428	delay_ns=118686160	samples=197	region_samples=0
visits	experiment=78	point=request	kind=latency	count=40	virtual_ns=197810268	begins=41	in_flight_ns=593430804
share	run=2	region=1	samples=120	total=3000	blocked=2300	blocked_total=20000
share	run=2	region=2	samples=0	total=3000	blocked=2500	blocked_total=20000
share	run=2	region=3	samples=0	total=3000	blocked=16000	blocked_total=20000
share	run=2	region=4	samples=300	total=3000	blocked=10	blocked_total=20000
share	run=2	region=5	samples=0	total=3000	blocked=90	blocked_total=20000
sample	run=2	module=1	offset=0x1010	count=2000	state=cpu
sample	run=2	module=1	offset=0x1024	count=1000	state=cpu
sample	run=2	module=1	offset=0x1040	count=2500	state=blocked	class=io
sample	run=2	module=1	offset=0x1050	count=16000	state=blocked	class=lock
sample	run=2	module=1	offset=0x1060	count=1400	state=blocked	class=sleep
sample	run=2	module=1	offset=0x1070	count=100	state=blocked	class=later
warning	run=2	what=lost-samples	text=24%20of%203000%20samples%20were%20lost:%20the%20arena%20was%20full
warning	run=2	what=spin	text=a%20thread%20seems%20to%20wait%20for%20another%20in%20a%20loop%20at%20/src/spin.c:12,%20which%20nobody%20can%20see:%20use%20ANDWEORC_PRE_BLOCK%20and%20ANDWEORC_POST_BLOCK
warning	run=2	what=seccomp	text=perf%1B]0;x%07%20is%20forbidden%20by%20seccomp
end	run=2	status=exit:0	wall_ns=9660762951	experiments=39
