/* control: the program starts and stops experiments. */
#ifndef ANDWEORC_RUNTIME_CONTROL_H
#define ANDWEORC_RUNTIME_CONTROL_H

void control_experiments(int on); /* any: starts or stops experiments */
int control_is_recorded(void);    /* any: is the process being recorded? */

#endif
