// Package sim is the proof of runs: a server, runners, their machines and people in one
// thread, driven by one seeded source of chance that loses, doubles and delays what they
// say to each other and ends them at any moment. The server is the real one, from its door
// for runners down to the database; only the runners are made of steps. The same seed is
// the same story.
//
// It is tests alone: nothing of it is in the program.
//
// Beside it stand tests with real processes and kill -9. Where a run can be cut short, who
// dies there, and which test has it (e2e with the real engines and both databases, runner
// with an engine of the test; every row is in the stories, too):
//
//	a run is asked for                  server   stories: the server dies in the middle of it
//	a job is taken, the answer lost     server   stories; runs TestAClaimIsRepeatable
//	a job is had, nothing was executed  runner   stories; runs TestAnApplyThatDidNotBeginIsGivenAgain
//	init, plan, its upload              runner   e2e TestRunnerKilledInARun; runner TestRunnerKilled
//	plan                                machine  e2e TestMachineGoneInARun
//	the end of a plan                   server   stories; runner TestServerAway
//	apply                               runner   e2e TestRunnerKilledInARun; runner TestRunnerKilled
//	apply                               engine   e2e TestEngineKilledInAnApply; runner TestEngineKilled
//	apply                               machine  e2e TestMachineGoneInARun
//	apply                               server   e2e TestServerKilledInAnApply, with the runner inside it
//	apply, and its lease ends           network  runner TestSilentApplyGoesOn; runs TestAnApplyIsNeverGivenTwice
//	plan or apply, and its lease ends   suspended e2e TestRunnerSuspended…; runner TestAStateComesHomeAfterItsLease
//	plan and apply, again and again     network  e2e TestRunnerBehindAProxyThatCuts
//	the state is brought, its row not   server   stories; e2e TestStatesSurviveCrashes
//	apply, and its lock is opened       person   stories; runs TestALostApplyWithoutItsLockLetsOthersGoOn
//	all of it, at random                everybody e2e TestChaos (BELAY_CHAOS says how many runs)
//	the clock jumps                     -        stories
package sim
