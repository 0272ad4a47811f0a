# Computes the output of `numbers` again: Rscript oracle.R FILE.  Prints the greatest relative
# differences; fails when one is above 1e-9.
suppressMessages(library(sandwich))

lines <- strsplit(readLines(commandArgs(TRUE)[1]), "\t")
kind <- sapply(lines, `[`, 1)
numbers <- function(of, columns) {
	m <- do.call(rbind, lines[kind == of])
	d <- as.data.frame(lapply(columns, function(i) as.numeric(m[, i])))
	names(d) <- names(columns)
	d
}
obs <- numbers("obs", c(case = 2, run = 3, stratum = 4, s = 5, n = 6, d = 7))
tests <- numbers("p", c(case = 2, p = 3, q = 4))
said <- do.call(rbind, lines[kind == "is"])
said <- data.frame(case = as.numeric(said[, 2]), what = said[, 3], value = as.numeric(said[, 4]))

worst <- list()
compare <- function(what, got, want) {
	off <- max(abs(got - want) / pmax(abs(want), 1e-300))
	worst[[what]] <<- c(max(off, worst[[what]][1]), sum(1, worst[[what]][2]))
}

# The estimate by its formula, METHOD.md "Why strata": a sum over strata of what each says, weighted.
slope_of <- function(o) {
	sums <- sapply(split(o, o$stratum), function(k) {
		spread <- function(x, w) sum(w * x^2) / sum(w) - (sum(w * x) / sum(w))^2
		w <- spread(k$s, rep(1, nrow(k))) / spread(k$s, k$n) / sum(k$n)
		w * c(sum(k$d * k$s) * sum(k$n) - sum(k$d) * sum(k$n * k$s),
		      sum(k$d) * sum(k$n * k$s^2) - sum(k$d * k$s) * sum(k$n * k$s))
	})
	-sum(sums[1, ]) / sum(sums[2, ])
}
period0 <- function(o) sum(o$d[o$s == 0]) / sum(o$n[o$s == 0])

student <- function(value, se, df) {
	half <- qt(0.975, df) * se
	c(lo = value - half, hi = value + half, p = 2 * pt(-abs(value / se), df))
}

for (case in unique(obs$case)) {
	o <- obs[obs$case == case, ]
	is <- with(said[said$case == case, ], setNames(value, what))
	interval <- student(is[["slope"]], is[["se"]], is[["df"]])
	compare("t interval", is[c("lo", "hi")], interval[c("lo", "hi")])
	compare("t p", is[["p"]], interval[["p"]])
	strata <- length(unique(o$stratum))

	if (is[["basis"]] == 1) {
		# over runs: mean and t
		slopes <- sapply(split(o, o$run), slope_of)
		costs <- slopes * sapply(split(o, o$run), period0)
		t <- t.test(slopes)
		compare("runs: slope", is[["slope"]], unname(t$estimate))
		compare("runs: interval", is[c("lo", "hi")], t$conf.int)
		compare("runs: p", is[["p"]], t$p.value)
		compare("runs: cost", is[["cost"]], mean(costs))
		compare("runs: cost se", is[["cost_se"]], sd(costs) / sqrt(length(costs)))
		next
	}
	slope <- slope_of(o)
	compare("strata: slope", is[["slope"]], slope)
	compare("strata: cost", is[["cost"]], slope * period0(o))

	if (strata >= 8) {
		# each stratum left out in turn
		without <- sapply(unique(o$stratum), function(k) slope_of(o[o$stratum != k, ]))
		compare("jackknife se", is[["se"]], sqrt((strata - 1) / strata * sum((without - slope)^2)))
		next
	}
	if (strata == 1) {
		# weighted least squares, and its sandwich
		m <- lm(d ~ 0 + n + I(n * s), data = o, weights = 1 / n)
		b <- unname(coef(m))
		compare("wls: slope", is[["slope"]], -b[2] / b[1])
		g <- c(b[2] / b[1]^2, -1 / b[1])
		compare("wls: HC2 se", is[["se"]], sqrt(drop(t(g) %*% vcovHC(m, type = "HC2") %*% g)))
		compare("wls: as lm(period)", is[["slope"]], {
			l <- lm(I(d / n) ~ s, data = o, weights = n)
			unname(-coef(l)[2] / coef(l)[1])
		})
	}
	# few strata: errors of windows with known factors, HC2, degrees of freedom of Bell and McCaffrey
	z <- outer(o$stratum, unique(o$stratum), `==`)
	x <- 1 - slope * o$s
	period <- drop(z %*% (colSums(z * x * o$d) / colSums(z * o$n * x^2)))
	design <- cbind(z * o$n * x * period, o$n * period * o$s) / (sqrt(o$n) * period)
	hat <- design %*% solve(crossprod(design), t(design))
	r <- o$d / (sqrt(o$n) * period) - sqrt(o$n) * x
	own <- function(v) drop(z %*% colSums(z * v))
	weight <- (own(o$s^2) / own(1) - (own(o$s) / own(1))^2) / (own(o$n * o$s^2) / own(o$n) - (own(o$n * o$s) / own(o$n))^2) / own(o$n)
	a <- weight * (o$s * own(o$n) - own(o$n * o$s) + slope * (own(o$n * o$s^2) - o$s * own(o$n * o$s)))
	a <- a / -sum(a * o$n * period * o$s)
	of <- function(a) {
		c <- a * sqrt(o$n) * period / sqrt(1 - diag(hat))
		b <- outer(c, c) * (diag(nrow(o)) - hat)
		c(se = sqrt(sum((c * r)^2)), df = max(1, sum(diag(b))^2 / sum(b^2)))
	}
	compare("few: HC2 se", is[["se"]], of(a)[["se"]])
	compare("few: df", is[["df"]], of(a)[["df"]])
	cost <- a * period0(o) + ifelse(o$s > 0, 0, slope / sum(o$n[o$s == 0]))
	compare("few: cost se", is[["cost_se"]], of(cost)[["se"]])
}
for (case in unique(tests$case)) {
	t <- tests[tests$case == case, ]
	compare("Benjamini-Hochberg", t$q, p.adjust(t$p, "BH"))
}

for (what in names(worst))
	cat(sprintf("%-20s %4d  %.1e\n", what, worst[[what]][2], worst[[what]][1]))
if (max(sapply(worst, `[`, 1)) > 1e-9)
	quit(status = 1)
