#!/bin/sh
#
# Time off the processor: its samples, its classes as regions, and the code that
# is charged for it.

. "$(dirname "$0")/lib.sh"

gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -o waits "$programs/waits.c" -pthread || exit 1

# Longer, until each of them has been tried; $long is how many times 3 s that are.
for long in 1 2 4; do
	andweorc-record -q -o log --window 20 -m function -r nap -r nanosleep -r contend -r work -r :sleep -r :lock -r :io -r :runqueue \
		-s 50 -- ./waits $((3000 * long)) 2>err || exit 1
	if test "$(sed -n 's/^experiment	.*	region=\([0-9]*\)	.*/\1/p' log | sort -u | wc -l)" -eq 8; then
		break
	fi
done

# blocked_of REGION: how many periods it waited
blocked_of() {
	awk -F'\t' -v name="symbol=$1" "$awk_value"'
		$1 == "region" && index($0, "\t" name) { id = value("id") }
		$1 == "share" && value("region") == id { print value("blocked") }' log
}

classes_are_regions() {
	awk -F'\t' '$1 == "region" && $3 == "scope=class" { print $4 }' log | sort >got
	printf 'symbol=:%s\n' io lock runqueue sleep >want
	same want got
	lacks '^region.*scope=class.*module=' log
}
check 'classes of waiting are regions' classes_are_regions

has_samples_of_waits() {
	has '^sample	.*	state=blocked	class=sleep(	|$)' log
	has '^sample	.*	state=blocked	class=lock(	|$)' log
	has '^sample	.*	state=cpu(	|$)' log
	# Two threads sleep a good part of 3 s each; the first waits for the lock besides.
	test "$(blocked_of :sleep)" -gt $((500 * long))
	test "$(blocked_of :lock)" -gt $((100 * long))
	test "$(blocked_of :io)" -lt $((100 * long))
}
check 'waits are sampled, by class' has_samples_of_waits

is_charged_to_callers() {
	test "$(blocked_of nap)" -gt $((250 * long))
	# Work of a lock's holder is not charged to the waiter.
	test "$(blocked_of contend)" -lt $((50 * long))
	test "$(blocked_of work)" -lt $((50 * long))
}
# (nap ends with a call of nanosleep that takes it off the stack, where the compiler makes it a jump.)
check 'sleeping is charged to the code that sleeps; waiting for a lock is not' is_charged_to_callers

others_are_delayed() {
	awk -F'\t' '
		$1 == "region" && $4 == "symbol=:sleep" { id = substr($2, 4) }
		$1 == "experiment" {
			for (i = 2; i <= NF; i++) {
				at = index($i, "=")
				v[substr($i, 1, at - 1)] = substr($i, at + 1)
			}
			delay[v["region"]] += v["delay_ns"]
			wall[v["region"]] += v["wall_ns"]
		}
		END { print (delay[id] > 0.2 * wall[id]), delay["-"] + 0 }' log >got
	echo '1 0' >want
	same want got
}
check 'while a sleep is sped up, all else is delayed' others_are_delayed

# libc's own nanosleep is never on the stack of a thread that sleeps.
is_a_function_of_libc() {
	lacks "no sample was in 'nanosleep'" err
	# It is called by the other thread, too.
	test "$(blocked_of nanosleep)" -gt "$(blocked_of nap)"
	awk -F'\t' "$awk_value"'
		$1 == "region" && /\tsymbol=nanosleep/ { id = value("id") }
		$1 == "experiment" && value("region") == id { delay += value("delay_ns"); wall += value("wall_ns") }
		END { print delay, wall; exit !(delay > 0.2 * wall) }' log
}
check 'a function of libc that waits is a region, though the runtime stands in for it' is_a_function_of_libc

leaves_are_the_program() {
	awk -F'\t' '$1 == "module" && /libandweorc/ { print substr($3, 4) }' log >runtime
	awk -F'\t' -v id="module=$(cat runtime)" '$1 == "sample" && $3 == id && /state=blocked/' log >got
	empty got
}
check 'a wait is where the program called, not in what stands in for libc' leaves_are_the_program

done_testing
